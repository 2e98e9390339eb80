/** `docket check` finds issues in e-mail templates, and rules that name a missing template. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NotificationRule } from '../../../src/definitions/notification-matching.ts'
import { about, engineFiles } from '../../support/notifications/an-engine-project.ts'
import { findingsOf as findingsOfProject } from '../../support/project-findings.ts'

const recipient = { userFields: ['approver'] }
const mjml = (text: string, subject = '{{ title }}') =>
  `---\nsubject: "${subject}"\n---\n<mjml>\n  <mj-body><mj-section><mj-column><mj-text>\n${text}\n</mj-text></mj-column></mj-section></mj-body>\n</mjml>\n`

type Case = {
  readonly templates: Readonly<Record<string, string>>
  readonly rules?: readonly NotificationRule[]
  readonly variables?: Readonly<Record<string, string>>
}

const findingsOf = ({ templates, rules = [], variables }: Case): Promise<string[]> => {
  const files = Object.entries(templates).map(([id, text]) => [`email-templates/${id}.mjml`, text])
  const project = engineFiles(rules)
  const supplier = { ...(project['entities/supplier.json'] as object), displayField: 'name' }
  const all = { ...project, 'entities/supplier.json': supplier, ...Object.fromEntries(files) }
  return findingsOfProject(all, variables)
}
const ruleWith = (emailTemplateId: string) => [about('x', recipient, { emailTemplateId })]

const issues: readonly [template: string, finding: string][] = [
  [
    '{{ recrod.number }}',
    '"recrod.number" is not a variable of a notification; did you mean "record"?',
  ],
  [
    '{{ record.nmber }}',
    '"record.nmber": "nmber" is not a field of request; did you mean "number"?',
  ],
  ['{{ record }}', '"record" is a whole record; name a field of it'],
  [
    '{{ record.supplier.region.name }}',
    '"record.supplier.region.name" is not available in e-mails, which have only the display field of a linked record',
  ],
  ['{{ recipient.phone }}', '"recipient.phone" does not exist'],
  ['{{ actor }}', '"actor" is an object; name a property of it'],
  ['{{ names.number }}', '"names.number" is neither a choice nor a step, which alone have names'],
  ['{{ names.nmber }}', '"names.nmber": "nmber" is not a field of request; did you mean "number"?'],
  ['{{ message.text }}', '"message.text" does not exist'],
]
test('every issue of an e-mail template is reported with its line', async () => {
  const text = issues.map(([template]) => template).join('\n')
  const found = await findingsOf({ templates: { own: mjml(text) }, rules: ruleWith('own') })
  assert.deepEqual(
    found,
    issues.map(([, finding], index) => `email-templates/own.mjml:${6 + index}:1 ${finding}`),
  )
})

test('a template may use all variables of an e-mail', async () => {
  const text = `{{ recipient.id }} {{ recipient.full_name }} {{ recipient.email }} {{ actor.email }}
    {{ record.id }} {{ record.number }} {{ record.supplier }} {{ record.supplier_id }} {{ record.supplier.name }}
    {{ record.extra.any[0].thing }} {{ record._created_at }} {{ names._step }} {{ entity.name }} {{ action.to_name }} {{ comment }}
    {{ title }} {{ message }} {{ url }} {{ unsubscribe_url }}
    {% for a in attachments %}{{ a.filename }}{% endfor %}{% for l in links %}{{ l.url }} {{ l.until }}{% endfor %}
    {{ missing | join: ", " }}`
  assert.deepEqual(await findingsOf({ templates: { own: mjml(text) }, rules: ruleWith('own') }), [])
})

const unknown = 'is not a variable of a notification'
for (const { what, template, finding, ...more } of [
  {
    ...{ what: 'an unknown variable in the subject', template: mjml('x', '{{ tilte }}') },
    finding: `2:1 "tilte" ${unknown}; did you mean "title"?`,
  },
  {
    what: 'without a rule, an unknown variable, but not a field of an entity',
    ...{ template: mjml('{{ record.any.thing }} {{ x }}'), finding: `6:1 "x" ${unknown}` },
  },
  {
    what: 'of the default template, what the entities of all rules without a template lack',
    ...{ template: mjml('{{ record.nope }}'), rules: [about('x', recipient)] },
    variables: { WORKFLOW_NOTIFICATION_FILE_DEFAULT_TEMPLATE_ID: 'own' },
    finding: '6:1 "record.nope": "nope" is not a field of request',
  },
  {
    ...{ what: 'an error of MJML or Liquid', template: mjml('{{ title | upcas }}') },
    finding: '6:1 is not a valid Liquid template: undefined filter: upcas',
  },
] as const)
  test(`a template is reported with the line of ${what}`, async () => {
    const found = await findingsOf({ templates: { own: template }, ...more })
    assert.deepEqual(found, [`email-templates/own.mjml:${finding}`])
  })

test('a missing template is reported at the place that names it', async () => {
  const found = await findingsOf({
    templates: { order: mjml('x') },
    rules: ruleWith('ordr'),
    variables: { WORKFLOW_NOTIFICATION_FILE_DEFAULT_TEMPLATE_ID: '../x' },
  })
  assert.deepEqual(
    found.map((line) => line.replace(/request\.json:\d+:\d+/, 'request.json')),
    [
      'entities/request.json warning: notifications[0].emailTemplateId there is no file email-templates/ordr.mjml, so the built-in template is used; did you mean "order"?',
      'email-templates/../x.mjml:1:1 there is no file email-templates/../x.mjml; WORKFLOW_NOTIFICATION_FILE_DEFAULT_TEMPLATE_ID names it',
    ],
  )
})

test('templates of a provider are not reported as missing', async () => {
  const variables = {
    EMAIL_PROVIDER: 'sendgrid',
    SENDGRID_API_KEY: 'k',
    EMAIL_FROM: 'a@example.com',
  }
  assert.deepEqual(await findingsOf({ templates: {}, rules: ruleWith('d-1'), variables }), [])
})
