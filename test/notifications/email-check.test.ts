/** `docket check` finds what is wrong with templates of e-mails, and those that are named and not there. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { examineProject } from '../../src/cli/open-project.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { NotificationRule } from '../../src/definitions/notification-matching.ts'
import { printFinding } from '../../src/definitions/source-file.ts'
import { writeProject } from '../support/service.ts'
import { about, engineFiles } from './an-engine.ts'

const recipient = { userFields: ['approver'] }
const mjml = (text: string, subject = '{{ title }}') =>
  `---\nsubject: "${subject}"\n---\n<mjml>\n  <mj-body><mj-section><mj-column><mj-text>\n${text}\n</mj-text></mj-column></mj-section></mj-body>\n</mjml>\n`

type Case = {
  readonly templates: Readonly<Record<string, string>>
  readonly entries?: readonly NotificationRule[]
  readonly variables?: Readonly<Record<string, string>>
}

const findingsOf = async ({ templates, entries = [], variables }: Case): Promise<string[]> => {
  const files = Object.entries(templates).map(([id, text]) => [`email-templates/${id}.mjml`, text])
  const project = engineFiles(entries)
  const supplier = { ...(project['entities/supplier.json'] as object), displayField: 'name' }
  const directory = await writeProject({
    ...project,
    'entities/supplier.json': supplier,
    ...Object.fromEntries(files),
  })
  const { findings } = await examineProject(loadConfig({ PROJECT: directory, ...variables }))
  await rm(directory, { recursive: true, force: true })
  return findings.map(printFinding)
}
const using = (emailTemplateId: string) => [about('x', recipient, { emailTemplateId })]

const issues: readonly [template: string, finding: string][] = [
  [
    '{{ recrod.number }}',
    '"recrod.number" is no variable of a notification; did you mean "record"?',
  ],
  [
    '{{ record.nmber }}',
    '"record.nmber": "nmber" is not a field of request; did you mean "number"?',
  ],
  ['{{ record }}', '"record" is a whole record; name a field of it'],
  [
    '{{ record.supplier.region.name }}',
    '"record.supplier.region.name" is not given to e-mails: of what a record links to they know its display field only',
  ],
  ['{{ recipient.phone }}', '"recipient.phone" is not there'],
  ['{{ actor }}', '"actor" is no text; name a part of it'],
  ['{{ message.text }}', '"message.text" is not there'],
]
for (const [template, finding] of issues)
  test(`${template} in an e-mail is found at its line: ${finding}`, async () => {
    const found = await findingsOf({
      templates: { own: mjml(`Dear\n${template}`) },
      entries: using('own'),
    })
    assert.deepEqual(found, [`email-templates/own.mjml:7:1 ${finding}`])
  })

test('everything that an e-mail is given may be named', async () => {
  const text = `{{ recipient.id }} {{ recipient.full_name }} {{ recipient.email }} {{ actor.email }}
    {{ record.id }} {{ record.number }} {{ record.supplier }} {{ record.supplier_id }} {{ record.supplier.name }}
    {{ record.extra.any[0].thing }} {{ record._created_at }} {{ entity.name }} {{ action.to_name }} {{ comment }}
    {{ title }} {{ message }} {{ url }} {{ unsubscribe_url }}
    {% for a in attachments %}{{ a.filename }}{% endfor %}{% for l in links %}{{ l.url }} {{ l.until }}{% endfor %}
    {{ missing | join: ", " }}`
  assert.deepEqual(await findingsOf({ templates: { own: mjml(text) }, entries: using('own') }), [])
})

test('a wrong name in the subject is found at its line', async () => {
  const found = await findingsOf({ templates: { own: mjml('x', '{{ tilte }}') } })
  assert.deepEqual(found, [
    'email-templates/own.mjml:2:1 "tilte" is no variable of a notification; did you mean "title"?',
  ])
})

test('a template that no entry uses is held to the variables, but to no entity', async () => {
  const found = await findingsOf({ templates: { own: mjml('{{ record.any.thing }} {{ x }}') } })
  assert.deepEqual(found, ['email-templates/own.mjml:6:1 "x" is no variable of a notification'])
})

test('the usual template is held to the entities of entries that name no other', async () => {
  const found = await findingsOf({
    templates: { own: mjml('{{ record.nope }}') },
    entries: [about('x', recipient)],
    variables: { WORKFLOW_NOTIFICATION_FILE_DEFAULT_TEMPLATE_ID: 'own' },
  })
  assert.deepEqual(found, [
    'email-templates/own.mjml:6:1 "record.nope": "nope" is not a field of request',
  ])
})

test('what MJML or Liquid refuse is a finding with its line', async () => {
  const found = await findingsOf({ templates: { own: mjml('{{ title | upcas }}') } })
  assert.deepEqual(found, [
    'email-templates/own.mjml:6:1 is no Liquid template: undefined filter: upcas',
  ])
})

test('a template that is named and not there is found where it is named', async () => {
  const found = await findingsOf({
    templates: { order: mjml('x') },
    entries: using('ordr'),
    variables: { WORKFLOW_NOTIFICATION_FILE_DEFAULT_TEMPLATE_ID: '../x' },
  })
  assert.deepEqual(
    found.map((line) => line.replace(/request\.json:\d+:\d+/, 'request.json')),
    [
      'entities/request.json warning: notifications[0].emailTemplateId there is no file email-templates/ordr.mjml, so the built-in template serves; did you mean "order"?',
      'email-templates/../x.mjml:1:1 there is no file email-templates/../x.mjml; WORKFLOW_NOTIFICATION_FILE_DEFAULT_TEMPLATE_ID names it',
    ],
  )
})

test('templates at a provider are not looked for here', async () => {
  const variables = {
    EMAIL_PROVIDER: 'sendgrid',
    SENDGRID_API_KEY: 'k',
    EMAIL_FROM: 'a@example.com',
  }
  assert.deepEqual(await findingsOf({ templates: {}, entries: using('d-1'), variables }), [])
})
