/** `docket check` warns, with file and line, of template variables that some recipients may not read. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { examineProject } from '../../../src/cli/open-project.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { writeProject } from '../../support/service.ts'

const hooks = [
  { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
]
const roleOf = (key: string, permissions: object) => ({
  [`roles/${key}.json`]: { key, permissions },
})

/** Findings of a project with one rule and three roles. */
const findingsOf = async (rule: object, template = '{{ title }}'): Promise<string[]> => {
  const contract = {
    ...{ key: 'contract', displayField: 'title', hooks },
    fields: [
      { key: 'title', type: 'string' },
      { key: 'salary', type: 'integer' },
      { key: 'extra', type: 'json' },
      { key: 'vault', type: 'manyToOne', entity: 'vault' },
      { key: 'approver', type: 'manyToOne', entity: 'user' },
    ],
    notifications: [
      {
        operation: 'create',
        recipient: { userFields: ['approver'] },
        emailTemplateId: 'own',
        ...rule,
      },
    ],
  }
  const directory = await writeProject({
    'entities/contract.json': JSON.stringify(contract, undefined, 1),
    'entities/vault.json': { key: 'vault', fields: [{ key: 'code', type: 'string' }] },
    'email-templates/own.mjml': `---\nsubject: x\n---\n<mjml><mj-body><mj-section><mj-column>\n<mj-text>${template}</mj-text>\n</mj-column></mj-section></mj-body></mjml>`,
    ...roleOf('all', { contract: { read: true }, vault: { read: 'own' }, user: { read: true } }),
    ...roleOf('limited', { contract: { read: 'own', hiddenFields: ['salary', 'title', 'extra'] } }),
    ...roleOf('none', {}),
  })
  const { findings } = await examineProject(loadConfig({ PROJECT: directory }))
  await rm(directory, { recursive: true, force: true })
  return findings.map(printFinding)
}

const emptyFinding = (name: string, roles: string) =>
  `"record.${name}" is left empty for ${roles}, which may not read it; {% if %} can test for it, and recipient.showHidden shows its value`

test('a hidden field and a field of an unreadable record in the content are reported', async () => {
  const message =
    '{{ record.salary }} {{ record.vault.code }} {{ record.salary | plus: 1 }} {{ record.id }}'
  assert.deepEqual(await findingsOf({ content: { message } }), [
    `entities/contract.json:45:5 warning: notifications[0].content.message ${emptyFinding('salary', 'the role "limited"')}`,
    `entities/contract.json:45:5 warning: notifications[0].content.message ${emptyFinding('vault.code', 'the role "limited"')}`,
  ])
})

test('a path inside json and a hidden field of the actor are reported, the recipient is not', async () => {
  const message =
    '{{ record.extra.a.b }} {{ actor.full_name }} {{ actor.phone }} {{ recipient.phone }}'
  assert.deepEqual(
    (await findingsOf({ content: { message } })).map((line) =>
      line.replace(/^.* warning: \S+ /, ''),
    ),
    [
      emptyFinding('extra.a.b', 'the role "limited"'),
      emptyFinding('phone', 'the role "limited"').replace('record', 'actor'),
    ],
  )
})

test('with skipRightsCheck roles without permission to read are reported too', async () => {
  const recipient = { userFields: ['approver'], skipRightsCheck: true }
  const [found = ''] = await findingsOf({ recipient, content: { title: '{{ record.salary }}' } })
  assert.match(found, /for the roles "limited", "none", which may not read it/)
})

test('showHidden is reported with the roles that it shows hidden fields to', async () => {
  const recipient = { userFields: ['approver'], showHidden: true }
  assert.deepEqual(await findingsOf({ recipient, content: { title: '{{ record.salary }}' } }), [
    'entities/contract.json:46:5 warning: notifications[0].content.title "record.salary" is shown to the role "limited", which may not read it (recipient.showHidden)',
  ])
})

test('a condition on a hidden field is reported', async () => {
  const condition = {
    $not: { $or: [{ salary: { $gt: 1000 } }, { 'vault.code': 'x' }] },
    approver: 1,
  }
  assert.deepEqual(
    (await findingsOf({ condition })).map((line) => line.replace(/^.* warning: /, '')),
    ['salary', 'vault.code'].map(
      (name) =>
        `notifications[0].condition "${name}" decides whether users with the role "limited" are notified, who may not read it: a notification reveals that the condition holds`,
    ),
  )
})

test('a hidden field in an e-mail template is reported with its line', async () => {
  assert.deepEqual(await findingsOf({}, '{{ record.salary }} {{ title }}'), [
    `email-templates/own.mjml:5:1 warning: ${emptyFinding('salary', 'the role "limited"')}`,
  ])
})

test('the default texts are not reported', async () => {
  assert.deepEqual(await findingsOf({}), [])
})

test('what the argument of a filter hides is reported; filters of numbers and dates are known', async () => {
  const ofMessage = async (message: string) => (await findingsOf({ content: { message } })).join()
  assert.equal(await ofMessage('{{ record._created_at | local_date }}'), '')
  assert.match(await ofMessage('{{ record._created_at | localdate }}'), /undefined filter/)
  assert.ok(
    (await ofMessage('{{ record.id | number: record.salary }}')).includes(
      emptyFinding('salary', 'the role "limited"'),
    ),
  )
})
