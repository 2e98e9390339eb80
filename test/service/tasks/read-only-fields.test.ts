/** A client sends back the task that it read, with one changed field. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ask,
  createRecord,
  createTask,
  ids,
  issuesOf,
  shareTasks,
  tasksOf,
  users,
} from './a-task-project.ts'

shareTasks()

const readTask = async (record: number, as?: string) => {
  const reply = await ask('GET', `/matter/${record}/task`, as === undefined ? {} : { as })
  assert.equal(reply.status, 200, reply.text)
  return reply.json()[0]
}

test('PUT accepts the complete task of GET and writes only the changed fields, repeatedly', async () => {
  const [record, other] = [await createRecord(), await createRecord()]
  const related_entities = [{ key: 'matter', entity_id: other }]
  const due_date = '2027-01-01 10:00:00'
  const id = await createTask(record, { description: 'Call', due_date, related_entities })
  const task = await readTask(record)
  for (const description of ['Call again', 'Call once more']) {
    const body = { ...task, description }
    const reply = await ask('PUT', `/matter/${record}/${id}`, { body })
    assert.equal(reply.status, 204, reply.text)
  }
  const { description, _updated_at, _version, ...after } = await readTask(record)
  assert.equal(description, 'Call once more')
  const { description: _old, _updated_at: _then, _version: first, ...before } = task
  assert.deepEqual(after, before)
  assert.equal(_version, first + 2)
  // The same body is accepted under the linked record.
  const linked = await ask('PUT', `/matter/${other}/${id}`, { body: task })
  assert.equal(linked.status, 204, linked.text)
})

test('read-only fields cannot be changed', async () => {
  const record = await createRecord()
  const id = await createTask(record)
  const task = await readTask(record)
  const body = { ...task, id: id + 1, key: 'party', entity_id: 0, _created_by: null, updated_by: 7 }
  const kept =
    'is set by the service and cannot be changed; leave it out, or send it as it was read'
  assert.deepEqual(issuesOf(await ask('PUT', `/matter/${record}/${id}`, { body }), 400), [
    `id ${kept}`,
    `key ${kept}`,
    `entity_id ${kept}`,
    `_created_by ${kept}`,
  ])
})

test('a field that the role hides is rejected like an unknown field, whatever its value', async () => {
  const record = await createRecord()
  const id = await createTask(record)
  const { description: _, is_completed: _1, due_date: _2, ...task } = await readTask(record)
  const {
    assigne_id: _3,
    type: _4,
    payload: _5,
    related_entities: _6,
    id: _7,
    updated_by,
    _version,
    ...kept
  } = task
  const as = users.restricted
  const put = (body: object) => ask('PUT', `/matter/${record}/${id}`, { body, as })
  assert.equal(Object.keys(kept).length, 7)
  for (const [name, value] of Object.entries(kept)) {
    const [right, ...wrong] = await Promise.all(
      [value, 4711, 'x', null].map(async (one) => (await put({ [name]: one })).json().errors),
    )
    assert.deepEqual(right, [{ path: name, message: 'is not a field of task' }])
    for (const errors of wrong) assert.deepEqual(errors, right)
  }
  // The task as the role reads it may be sent back.
  const shown = await readTask(record, as)
  assert.deepEqual(Object.keys(shown.updated_by), Object.keys(updated_by))
  assert.equal((await put({ ...shown, description: 'Other' })).status, 204)
})

test('an assignee without permission can complete the task by sending it back, but cannot change other fields', async () => {
  const record = await createRecord()
  const assigned = { description: 'Sign', assigne_id: ids.reader }
  const id = await createTask(record, assigned)
  const as = users.reader
  const task = await readTask(record, as)
  const put = (body: object) => ask('PUT', `/matter/${record}/${id}`, { body, as })
  assert.equal((await put({ ...task, description: 'Other' })).status, 403)
  assert.equal((await put({ ...task, is_completed: true })).status, 204)
  assert.equal((await readTask(record)).is_completed, true)
})

test('a task without a description has an empty description', async () => {
  const record = await createRecord()
  await createTask(record)
  assert.equal((await tasksOf(`/matter/${record}`))[0].description, '')
  const path = `/matter/${record}/task`
  assert.deepEqual(issuesOf(await ask('POST', path, { body: { description: null } }), 422), [
    'description is required and cannot be null',
  ])
})
