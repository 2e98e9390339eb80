/** Projects that extend the native entities. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsOf, load } from '../../support/definitions/a-project.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'

test('"extends": "native" adds fields, indexes and settings to a native entity', async () => {
  const { project, findings } = await load({
    'entities/user_group.json': {
      key: 'user_group',
      extends: 'native',
      name: 'Team',
      displayField: 'name',
      fields: [{ key: 'floor', type: 'integer', indexed: true }],
      indexes: [{ fields: ['floor', 'name'] }],
    },
  })
  assert.deepEqual(findings, [])
  const team = project?.catalog.entities.get('user_group')
  assert.equal(team?.name, 'Team')
  assert.equal(team?.isNative, true)
  assert.deepEqual(
    team?.columns
      .filter(({ isSystem }) => !isSystem)
      .map(({ name }) => name)
      .slice(-1),
    ['floor'],
  )
  assert.ok(team?.columnsByName.has('code'))
})

test('only a native entity is extended, and neither it nor its columns are defined again', async () => {
  const extended = (key: string, ...fields: object[]) => ({
    [`entities/${key}.json`]: { key, extends: 'native', fields },
  })
  assert.deepEqual(
    await findingsOf({
      'entities/security_role.json': { key: 'security_role', fields: [] },
      ...extended('order'),
      ...extended('user', { key: 'email', type: 'text' }),
      ...extended('task', { key: 'assigne_id', type: 'integer' }),
    }),
    [
      'entities/order.json:1:16 extends "order" is not a native entity; those are comment, printable_document, saved_view, security_role, task, user, user_group, user_group_member, user_role',
      'entities/security_role.json:1:2 key "security_role" is a native entity; add "extends": "native" to add fields to it, or give an entity of your own another key: one that has records is renamed ("was") with the version of Docket that made its table',
      'entities/task.json:1:45 fields[0].key "assigne_id" is already used by the native task',
      'entities/user.json:1:45 fields[0].key "email" is already used by the native user',
    ],
  )
})

test('an entity of the project with the key of a native one is refused at its line, with what to do', async () => {
  const fields = [
    { key: 'holder', type: 'manyToOne', entity: 'user' },
    { key: 'title', type: 'string', required: true },
  ]
  const role = JSON.stringify({ key: 'user_role', name: 'Job', fields }, null, 2)
  assert.deepEqual(await findingsOf({ 'entities/user_role.json': role }), [
    'entities/user_role.json:2:3 key "user_role" is a native entity; add "extends": "native" to add fields to it, or give an entity of your own another key: one that has records is renamed ("was") with the version of Docket that made its table',
  ])
  const job = { key: 'job', was: 'user_role', fields }
  assert.deepEqual(await findingsOf({ 'entities/job.json': job }), [
    'entities/job.json:1:14 was "user_role" is a native entity now; remove it here: an entity of that key is renamed with the version of Docket that made its table',
  ])
})

test('added settings may refer to native fields', async () => {
  const task = {
    key: 'task',
    extends: 'native',
    fields: [],
    exportSettings: { columnDefs: [{ field: 'assigne.full_name' }] },
    workflow: workflowOf(
      { open: [{ key: 'do', kind: 'proceedToStep', to: 'done', form: 'do' }], done: [] },
      { forms: [{ key: 'do', fields: ['payload'] }] },
    ),
  }
  assert.deepEqual(await findingsOf({ 'entities/task.json': task }), [])
})

test('parts of records have no files', async () => {
  const [finding, ...more] = await findingsOf({
    'entities/task.json': { key: 'task', extends: 'native', fields: [{ key: 'a', type: 'file' }] },
  })
  assert.deepEqual(more, [])
  assert.match(finding ?? '', /fields\[0\]\.type a task is part of a record and has no files/)
})

test('an added required field needs a default where the service creates such records itself', async () => {
  const badge = { key: 'badge', type: 'string' }
  const allowed = [
    { ...badge, required: true, default: 'none' },
    { ...badge, key: 'optional', required: false },
    { ...badge, key: 'usual' },
  ]
  const refused = [
    { ...badge, key: 'needed', required: true },
    { key: 'place', type: 'manyToOne', entity: 'user_group', required: true },
    { key: 'extra', type: 'json', required: true, default: null },
  ]
  const extended = (key: string, fields: readonly object[]) =>
    findingsOf({ [`entities/${key}.json`]: { key, extends: 'native', fields } })
  for (const key of ['user', 'security_role'])
    assert.deepEqual(
      (await extended(key, [...allowed, ...refused])).map((line) => line.replace(/^\S+ /, '')),
      [3, 4, 5].map(
        (at) =>
          `fields[${at}].required needs a "default", or must be removed: the service creates ${key} records itself and does not know this field`,
      ),
    )
  // Only users create these.
  const [needed] = refused
  assert.deepEqual(await extended('user_group', [needed ?? {}]), [])
})
