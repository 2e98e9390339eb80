/** `docket check` warns, with file and line, of what templates name and some who are told may not read. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { examineProject } from '../../src/cli/open-project.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { printFinding } from '../../src/definitions/source-file.ts'
import { writeProject } from '../support/service.ts'

const hooks = [
  { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
]
const roleOf = (key: string, permissions: object) => ({
  [`roles/${key}.json`]: { key, permissions },
})

/** Findings of a contract with one entry, told as people with these roles would be. */
const findingsOf = async (entry: object, template = '{{ title }}'): Promise<string[]> => {
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
        ...entry,
      },
    ],
  }
  const directory = await writeProject({
    'entities/contract.json': JSON.stringify(contract, undefined, 1),
    'entities/vault.json': { key: 'vault', fields: [{ key: 'code', type: 'string' }] },
    'email-templates/own.mjml': `---\nsubject: x\n---\n<mjml><mj-body><mj-section><mj-column>\n<mj-text>${template}</mj-text>\n</mj-column></mj-section></mj-body></mjml>`,
    ...roleOf('all', { contract: { read: true }, vault: { read: 'own' }, user: { read: true } }),
    ...roleOf('blind', { contract: { read: 'own', hiddenFields: ['salary', 'title', 'extra'] } }),
    ...roleOf('none', {}),
  })
  const { findings } = await examineProject(loadConfig({ PROJECT: directory }))
  await rm(directory, { recursive: true, force: true })
  return findings.map(printFinding)
}

const empty = (name: string, roles: string) =>
  `"record.${name}" is left empty for ${roles}, which may not read it; {% if %} can tell, and recipient.showHidden shows it all the same`

test('a hidden field, and one of a record that is unreadable, in the content', async () => {
  const message =
    '{{ record.salary }} {{ record.vault.code }} {{ record.salary | plus: 1 }} {{ record.id }}'
  assert.deepEqual(await findingsOf({ content: { message } }), [
    `entities/contract.json:45:5 warning: notifications[0].content.message ${empty('salary', 'the role "blind"')}`,
    `entities/contract.json:45:5 warning: notifications[0].content.message ${empty('vault.code', 'the role "blind"')}`,
  ])
})

test('inside json, of who acted, and of the recipient', async () => {
  const message =
    '{{ record.extra.a.b }} {{ actor.full_name }} {{ actor.phone }} {{ recipient.phone }}'
  assert.deepEqual(
    (await findingsOf({ content: { message } })).map((line) =>
      line.replace(/^.* warning: \S+ /, ''),
    ),
    [
      empty('extra.a.b', 'the role "blind"'),
      empty('phone', 'the role "blind"').replace('record', 'actor'),
    ],
  )
})

test('roles without the right to read are told with skipRightsCheck', async () => {
  const recipient = { userFields: ['approver'], skipRightsCheck: true }
  const [found = ''] = await findingsOf({ recipient, content: { title: '{{ record.salary }}' } })
  assert.match(found, /for the roles "blind", "none", which may not read it/)
})

test('what is shown on purpose is named with those who are shown it', async () => {
  const recipient = { userFields: ['approver'], showHidden: true }
  assert.deepEqual(await findingsOf({ recipient, content: { title: '{{ record.salary }}' } }), [
    'entities/contract.json:46:5 warning: notifications[0].content.title "record.salary" is shown to the role "blind", which may not read it (recipient.showHidden)',
  ])
})

test('a condition over a hidden field tells by being told', async () => {
  const condition = {
    $not: { $or: [{ salary: { $gt: 1000 } }, { 'vault.code': 'x' }] },
    approver: 1,
  }
  assert.deepEqual(
    (await findingsOf({ condition })).map((line) => line.replace(/^.* warning: /, '')),
    ['salary', 'vault.code'].map(
      (name) =>
        `notifications[0].condition "${name}" decides whether people of the role "blind" are told, who may not read it: being told shows that it holds`,
    ),
  )
})

test('an e-mail template, at its line', async () => {
  assert.deepEqual(await findingsOf({}, '{{ record.salary }} {{ title }}'), [
    `email-templates/own.mjml:5:1 warning: ${empty('salary', 'the role "blind"')}`,
  ])
})

test('the usual texts, which fall back to the number, are no reason to warn', async () => {
  assert.deepEqual(await findingsOf({}), [])
})
