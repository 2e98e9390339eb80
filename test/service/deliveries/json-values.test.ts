/** Templates print objects inside of JSON as JSON, whatever names they have, in notifications and in e-mails. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { simpleParser } from 'mailparser'
import { startWorkerThread } from '../../../src/runtime/start-worker-thread.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const printed = [
  '{{ record.terms }}',
  '{{ record.terms | upcase }}',
  '{{ record.supplier.terms }}',
  '{{ record.supplier }}',
  '{% if record.terms < 5 %}few{% else %}no number{% endif %}',
  '{{ record.terms.days }}',
].join(' | ')
const terms = { key: 'terms', type: 'json' }

const files = {
  // Its display field has objects too.
  'entities/supplier.json': { key: 'supplier', displayField: 'terms', fields: [terms] },
  'entities/order.json': {
    key: 'order',
    fields: [terms, { key: 'supplier', type: 'manyToOne', entity: 'supplier' }],
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [
      {
        ...{ operation: 'create', emailTemplateId: 'own' },
        recipient: { userFields: ['_created_by'] },
        content: { title: 'An order', message: printed },
      },
    ],
  },
  'email-templates/own.mjml': `---
subject: "${printed}"
---
<mjml><mj-body><mj-section><mj-column><mj-text>${printed}</mj-text></mj-column></mj-section></mj-body></mjml>
`,
}

let service: TestService
let worker: Awaited<ReturnType<typeof startWorkerThread>>
before(async () => {
  service = await startTestService(await writeProject(files))
  worker = await startWorkerThread(service.runtime, { watch: false })
})
after(async () => {
  await worker.stop()
  await service.stop()
})

const create = async (path: string, body: object): Promise<number> => {
  const reply = await service.ask('POST', path, { body })
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}

const sentMails = async (): Promise<readonly { readonly name: string }[]> =>
  (await service.ask('GET', '/api/mail')).json().data

const cases: readonly [what: string, value: unknown, text: string, days: string][] = [
  ['an object', { days: 30 }, '{"days":30}', '30'],
  ['the names of functions', { toString: 1, valueOf: 2 }, '{"toString":1,"valueOf":2}', ''],
  ['the name of the prototype', JSON.parse('{"__proto__":null}'), '{"__proto__":null}', ''],
  ['objects in a list', [{ toString: 'x' }, [{ a: 1 }]], '{"toString":"x"}{"a":1}', ''],
  [
    'an object in an object',
    { days: { toString: 1 } },
    '{"days":{"toString":1}}',
    '{"toString":1}',
  ],
]
for (const [what, value, text, days] of cases)
  test(`JSON with ${what} is printed as JSON`, async () => {
    const known = new Set((await sentMails()).map(({ name }) => name))
    const supplier_id = await create('/supplier', { terms: value })
    await create('/order', { supplier_id, terms: value })
    const link = Array.isArray(value) ? '{"toString":"x"},{"a":1}' : text
    const expected = [text, text.toUpperCase(), text, link, 'no number', days].join(' | ').trim()
    const mail = await until('the e-mail is sent', async () =>
      (await sentMails()).find(({ name }) => !known.has(name)),
    )
    const sent = await simpleParser((await service.ask('GET', `/api/mail/${mail.name}`)).text)
    assert.equal(sent.subject, expected)
    assert.equal(sent.text?.replaceAll(/\s+/g, ' ').trim(), expected)
    const [stored] = (await service.ask('GET', '/api/notifications?sortOrder=desc')).json()
    assert.equal(stored.content.message, expected)
  })
