/** `docket check` warns, with file and line, of template variables that some recipients may not read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { link, roleFile } from '../../support/definitions/files.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { findingsOf as findingsOfProject } from '../../support/project-findings.ts'

/** Findings of a project with one rule and three roles. */
const findingsOf = (rule: object, template = '{{ title }}'): Promise<string[]> => {
  const recipient = { userFields: ['approver'] }
  const contract = {
    key: 'contract',
    displayField: 'title',
    hooks,
    fields: [
      { key: 'title', type: 'string' },
      { key: 'salary', type: 'integer' },
      { key: 'extra', type: 'json' },
      { key: 'since', type: 'date', indexed: true },
      ...[link('vault', 'vault'), link('approver', 'user')],
    ],
    notifications: [{ operation: 'create', recipient, emailTemplateId: 'own', ...rule }],
  }
  return findingsOfProject({
    'entities/contract.json': JSON.stringify(contract, undefined, 1),
    'entities/vault.json': { key: 'vault', fields: [{ key: 'code', type: 'string' }] },
    'email-templates/own.mjml': `---\nsubject: x\n---\n<mjml><mj-body><mj-section><mj-column>\n<mj-text>${template}</mj-text>\n</mj-column></mj-section></mj-body></mjml>`,
    ...roleFile('all', { contract: { read: true }, vault: { read: 'own' }, user: { read: true } }),
    ...roleFile('limited', {
      contract: { read: 'own', hiddenFields: ['salary', 'title', 'extra', 'since'] },
    }),
    ...roleFile('none', {}),
  })
}
const withContent = (message: string) => ({ content: { message } })

const emptyFor = (roles: string, variable: string) =>
  `"${variable}" is left empty for ${roles}, which may not read it; {% if %} can test for it, and recipient.showHidden shows its value`
const empty = (variable: string) => emptyFor('the role "limited"', variable)
const at = (place: string) => `entities/contract.json:${place}`
const ofMessage = '50:5 warning: notifications[0].content.message'
const userFields = ['approver']

type Row = { readonly what: string; rule?: object; template?: string; findings: readonly string[] }
const rows: readonly Row[] = [
  { what: 'the default texts', findings: [] },
  {
    what: 'a hidden field and a field of an unreadable record in the content, once',
    rule: withContent(
      '{{ record.salary }} {{ record.vault.code }} {{ record.salary | plus: 1 }} {{ record.id }}',
    ),
    findings: ['record.salary', 'record.vault.code'].map((name) =>
      at(`${ofMessage} ${empty(name)}`),
    ),
  },
  {
    what: 'a path inside JSON and a hidden field of the actor, but not of the recipient',
    rule: withContent(
      '{{ record.extra.a.b }} {{ actor.full_name }} {{ actor.phone }} {{ recipient.phone }}',
    ),
    findings: ['record.extra.a.b', 'actor.phone'].map((name) => at(`${ofMessage} ${empty(name)}`)),
  },
  {
    what: 'the argument of a filter, but not what a filter of dates reads, which is known',
    rule: withContent(
      '{{ record.id | number: record.salary }}{{ record._created_at | local_date }}',
    ),
    findings: [at(`${ofMessage} ${empty('record.salary')}`)],
  },
  {
    what: 'roles without permission to read, with skipRightsCheck',
    rule: {
      recipient: { userFields, skipRightsCheck: true },
      content: { title: '{{ record.salary }}' },
    },
    findings: [
      at(
        `51:5 warning: notifications[0].content.title ${emptyFor('the roles "limited", "none"', 'record.salary')}`,
      ),
    ],
  },
  {
    what: 'showHidden, with the roles that it shows hidden fields to',
    rule: {
      recipient: { userFields, showHidden: true },
      content: { title: '{{ record.salary }}' },
    },
    findings: [
      at(
        '51:5 warning: notifications[0].content.title "record.salary" is shown to the role "limited", which may not read it (recipient.showHidden)',
      ),
    ],
  },
  {
    what: 'a hidden field in an e-mail template',
    template: '{{ record.salary }} {{ title }}',
    findings: [`email-templates/own.mjml:5:1 warning: ${empty('record.salary')}`],
  },
]
for (const { what, rule = {}, template, findings } of rows)
  test(`it reports ${what}`, async () => {
    assert.deepEqual(await findingsOf(rule, template), findings)
  })

test('it reports what a rule decides by, of which a role may not know that it is so', async () => {
  const hidden = { $not: { $or: [{ salary: { $gt: 1000 } }, { 'vault.code': 'x' }] } }
  const message = '{{ before.salary }}'
  const change = { operation: 'change', fields: ['salary', 'approver'], content: { message } }
  const date = { operation: 'date', field: 'since' }
  const decides = (place: string, name: string, told: string) =>
    `notifications[0].${place} "${name}" decides whether users with the role "limited" are notified, who may not read it: a notification reveals ${told}`
  for (const [rule, expected] of [
    [
      { condition: { ...hidden, approver: 1 } },
      ['salary', 'vault.code'].map((name) =>
        decides('condition', name, 'that the condition holds'),
      ),
    ],
    [
      { ...change, before: hidden },
      [
        ...['salary', 'vault.code'].map((name) =>
          decides('before', name, 'that the condition held before'),
        ),
        decides('fields', 'salary', 'that it has changed'),
        `notifications[0].content.message ${empty('before.salary')}`,
      ],
    ],
    [date, [decides('field', 'since', 'which date it has')]],
  ] as const) {
    const found = await findingsOf(rule)
    assert.deepEqual(
      found.map((line) => line.replace(/^.* warning: /, '')),
      expected,
    )
  }
})
