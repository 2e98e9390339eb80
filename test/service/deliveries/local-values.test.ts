/** Numbers and dates are written in the language and time zone of the project wherever a template is rendered. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { simpleParser } from 'mailparser'
import { examineProject } from '../../../src/cli/open-project.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { startWorkerThread } from '../../../src/runtime/start-worker-thread.ts'
import { startTestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

type Content = { readonly message: string; readonly title: string; readonly due_date?: string }

// A message is plain text: languages write spaces of several kinds.
const spaced = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

const hooks = [
  { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
]
const amount =
  '{{ record.total | number: record.currency }} by {{ record.ordered_at | local_date }}'

const projectWith = (locale: string | undefined, message: string) => ({
  'docket.json': { name: 'Shop', timeZone: 'Europe/Zagreb', ...(locale && { locale }) },
  'entities/currency.json': {
    ...{ key: 'currency', name: 'Currency', displayField: 'code' },
    fields: [{ key: 'code', type: 'string' }],
  },
  'entities/product.json': {
    key: 'product',
    fields: [{ key: 'unit', type: 'enum', values: [{ value: 'rm', name: 'running metres' }] }],
  },
  'entities/order.json': {
    ...{ key: 'order', name: 'Order', hooks },
    fields: [
      { key: 'total', type: 'decimal', precision: 14, scale: 2 },
      { key: 'quantity', type: 'decimal', precision: 14, scale: 3 },
      { key: 'currency', type: 'manyToOne', entity: 'currency' },
      { key: 'product', type: 'manyToOne', entity: 'product' },
      { key: 'needed_by', type: 'date' },
      { key: 'ordered_at', type: 'timestamp' },
    ],
    notifications: [
      {
        ...{ operation: 'create', emailTemplateId: 'own' },
        recipient: { userFields: ['_created_by'] },
        content: { title: amount, message, due_date: '{{ record.needed_by }}' },
      },
    ],
  },
  'email-templates/own.mjml': `---
subject: "${amount}"
---
<mjml><mj-body><mj-section><mj-column><mj-text>${amount}: {{ message }}</mj-text></mj-column></mj-section></mj-body></mjml>
`,
  'roles/clerk.json': {
    key: 'clerk',
    permissions: { order: { create: true, read: true, hiddenFields: ['total'] } },
  },
})

const values = {
  ...{ total: '1895.01', quantity: '1250.500', needed_by: '2026-11-24' },
  ordered_at: '2026-11-24T08:00:00Z',
}

/** A service of the project, and an order of it that is created when this is called. */
const startShop = async (locale: string | undefined, message: string) => {
  const service = await startTestService(await writeProject(projectWith(locale, message)))
  const create = async (path: string, body: object): Promise<number> => {
    const reply = await service.ask('POST', path, { body })
    assert.equal(reply.status, 201, reply.text)
    return reply.json().id
  }
  const createOrder = async () => {
    const currency_id = await create('/currency', { code: 'EUR' })
    const product_id = await create('/product', { unit: 'rm' })
    return create('/order', { ...values, currency_id, product_id })
  }
  const explain = async (entityId: number): Promise<Content> => {
    const body = { entityKey: 'order', entityId, operation: 'create' }
    const reply = await service.ask('POST', '/api/notifications/explain', { body })
    assert.equal(reply.status, 200, reply.text)
    return reply.json().entries[0].recipients[0].content
  }
  return { service, createOrder, explain }
}

const page = readFileSync(new URL('../../../docs/notifications.md', import.meta.url), 'utf8')
const cells = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', '').replaceAll('\\|', '|'))
const [, section = ''] = page.split('### Numbers and dates\n')
const [head = [], , ...rows] = section
  .slice(0, section.indexOf('\n### '))
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map(cells)
const template = rows.map(([one]) => one).join('\n')

for (const [index, locale] of head.slice(1).entries())
  test(`the table of docs/notifications.md shows what a project with the locale ${locale} writes`, async (t) => {
    const { service, createOrder, explain } = await startShop(locale, template)
    t.after(() => service.stop())
    const { message } = await explain(await createOrder())
    assert.deepEqual(
      spaced(message).split('\n'),
      rows.map((row) => row[index + 1]),
    )
  })

test('a stored notification, its explanation, its e-mail and the preview of this say the same', async (t) => {
  const { service, createOrder, explain } = await startShop('de', '{{ record.total | number }}')
  t.after(() => service.stop())
  const id = await createOrder()
  const expected = '1.895,01 EUR by 24.11.2026, 09:00'
  const explained = await explain(id)
  assert.deepEqual([spaced(explained.title), explained.message], [expected, '1.895,01'])

  const worker = await startWorkerThread(service.runtime, { watch: false })
  t.after(() => worker.stop())
  const [mail] = await until('the e-mail is sent', async () => {
    const { data } = (await service.ask('GET', '/api/mail')).json()
    return data.length === 1 && (data as { name: string }[])
  })
  const sent = await simpleParser((await service.ask('GET', `/api/mail/${mail?.name}`)).text)
  assert.equal(spaced(sent.subject ?? ''), expected)
  assert.match(spaced(sent.text ?? ''), new RegExp(`^${expected}: 1\\.895,01\\s*$`))

  const [stored] = (await service.ask('GET', '/api/notifications')).json()
  assert.deepEqual([stored.content.title, stored.content.message], [explained.title, '1.895,01'])
  // A machine reads it.
  assert.ok(stored.content.due_date)

  // Composed again by the process that answers.
  await service.database.pool.query('DELETE FROM docket.sent_message')
  const { data } = (await service.ask('GET', '/api/deliveries')).json()
  const preview = (await service.ask('GET', `/api/deliveries/${data[0].id}/message`)).json()
  assert.deepEqual([preview.as_sent, spaced(preview.subject)], [false, expected])
})

test('docket check knows the filters, and warns of what their arguments hide from a role', async () => {
  const findingsOf = async (message: string) => {
    const directory = await writeProject(projectWith('de', message))
    const { findings } = await examineProject(loadConfig({ PROJECT: directory }))
    return findings.map(printFinding).filter((finding) => finding.includes('content.message'))
  }
  assert.deepEqual(await findingsOf('{{ record.needed_by | local_date }}'), [])
  assert.match((await findingsOf('{{ record.needed_by | localdate }}')).join(), /undefined filter/)
  assert.match(
    (await findingsOf('{{ record.quantity | number: record.total }}')).join(),
    /"record\.total" is left empty for the role "clerk"/,
  )
})
