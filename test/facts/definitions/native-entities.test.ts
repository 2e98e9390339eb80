/** Projects that extend the native entities. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsOf, load } from '../../support/definitions/a-project.ts'

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

test('a project cannot define a native entity again', async () => {
  assert.deepEqual(
    (await findingsOf({ 'entities/task.json': { key: 'task', fields: [] } }))[0],
    'entities/task.json:1:2 key "task" is a native entity; add "extends": "native" to add fields to it',
  )
})

test('only a native entity can be extended', async () => {
  assert.deepEqual(
    await findingsOf({ 'entities/order.json': { key: 'order', extends: 'native', fields: [] } }),
    [
      'entities/order.json:1:16 extends "order" is not a native entity; those are printable_document, saved_view, security_role, task, user, user_group, user_group_member',
    ],
  )
})

test('a field of a native entity cannot be changed', async () => {
  const fields = [{ key: 'email', type: 'text' }]
  assert.deepEqual(
    await findingsOf({ 'entities/user.json': { key: 'user', extends: 'native', fields } }),
    ['entities/user.json:1:45 fields[0].key "email" is already used by the native user'],
  )
})

test('an added field cannot have the column of a native field', async () => {
  const fields = [{ key: 'assigne_id', type: 'integer' }]
  assert.deepEqual(
    await findingsOf({ 'entities/task.json': { key: 'task', extends: 'native', fields } }),
    ['entities/task.json:1:45 fields[0].key "assigne_id" is already used by the native task'],
  )
})

test('added settings may refer to native fields', async () => {
  const task = {
    key: 'task',
    extends: 'native',
    fields: [],
    exportSettings: { columnDefs: [{ field: 'assigne.full_name' }] },
    workflow: {
      initialStep: 'open',
      steps: [
        { key: 'open', actions: [{ key: 'do', kind: 'proceedToStep', to: 'done', form: 'do' }] },
        { key: 'done', final: true },
      ],
      forms: [{ key: 'do', fields: ['payload'] }],
    },
  }
  assert.deepEqual(await findingsOf({ 'entities/task.json': task }), [])
})

for (const key of ['user', 'security_role']) {
  const added = (field: object) =>
    findingsOf({ [`entities/${key}.json`]: { key, extends: 'native', fields: [field] } })
  const errors = async (field: object) =>
    (await added(field)).map((line) => line.replace(/^\S+:\d+:\d+ /, ''))
  const issue = `fields[0].required needs a "default", or must be removed: the service creates ${key} records itself and does not know this field`

  test(`an added required field of ${key} needs a default, because the service creates such records itself`, async () => {
    assert.deepEqual(await errors({ key: 'badge', type: 'string', required: true }), [issue])
    assert.deepEqual(
      await errors({ key: 'place', type: 'manyToOne', entity: 'user_group', required: true }),
      [issue],
    )
    assert.deepEqual(await errors({ key: 'extra', type: 'json', required: true, default: null }), [
      issue,
    ])
  })

  test(`an added field of ${key} may be required with a default, or optional without one`, async () => {
    const badge = { key: 'badge', type: 'string' }
    assert.deepEqual(await errors({ ...badge, required: true, default: 'none' }), [])
    assert.deepEqual(await errors({ ...badge, required: false }), [])
    assert.deepEqual(await errors(badge), [])
  })
}

test('an added field may be required when only users create records of the native entity', async () => {
  const fields = [{ key: 'floor', type: 'integer', required: true }]
  assert.deepEqual(
    await findingsOf({
      'entities/user_group.json': { key: 'user_group', extends: 'native', fields },
    }),
    [],
  )
})
