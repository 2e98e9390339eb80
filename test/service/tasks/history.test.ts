/** The history of tasks: user, operation and changed values, in the history of their record. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, createRecord, createTask, ids, shareTasks, users } from './a-task-project.ts'

shareTasks()

test('the history of a record has an entry for each operation on its task', async () => {
  const record = await createRecord()
  const taskId = await createTask(record, { description: 'a' })
  const put = (body: object, as: string) => ask('PUT', `/matter/${record}/${taskId}`, { body, as })
  await put({ description: 'b', payload: 'p' }, users.worker)
  await put({ assigne_id: ids.reader }, users.worker)
  await put({ is_completed: true }, users.reader)
  await put({ is_completed: false }, users.reader)
  await ask('DELETE', `/matter/${record}/${taskId}`, { as: users.worker })
  const expected = [
    ['removeTask', 'worker', { _is_deleted: { before: false, after: true } }],
    ['reopenTask', 'reader', { is_completed: { before: true, after: false } }],
    ['completeTask', 'reader', { is_completed: { before: false, after: true } }],
    ['assignTask', 'worker', { assigne_id: { before: null, after: ids.reader } }],
    [
      'changeTask',
      'worker',
      { description: { before: 'a', after: 'b' }, payload: { before: null, after: 'p' } },
    ],
    [
      'createTask',
      'Administrator',
      {
        entity_id: { after: record },
        key: { after: 'matter' },
        description: { after: 'a' },
        is_completed: { after: false },
        type: { after: 'native' },
      },
    ],
  ]
  const history = (await ask('GET', `/matter/${record}/history`)).json().data
  assert.deepEqual(
    history
      .filter((entry: { task_id: number | null }) => entry.task_id === taskId)
      .map((entry: { operation: string; user: { full_name: string }; changes: object }) => [
        entry.operation,
        entry.user.full_name.replace(' Example', ''),
        entry.changes,
      ]),
    expected,
  )
  assert.equal(history.at(-1).operation, 'create')
  assert.equal(history.at(-1).task_id, null)
})

test('the history of a task has the same entries, without the fields that the role hides', async () => {
  const record = await createRecord()
  const taskId = await createTask(record, { payload: 'secret' })
  const path = `/task/${taskId}/history`
  const [entry] = (await ask('GET', path)).json().data
  assert.deepEqual(entry.changes.payload, { after: 'secret' })
  const [seen] = (await ask('GET', path, { as: users.clerk })).json().data
  assert.deepEqual([seen.operation, 'payload' in seen.changes], ['createTask', false])
})

test('a caller who may not read the tasks of a record does not get their history', async () => {
  const record = await createRecord()
  await createTask(record)
  for (const [as, count] of [
    [users.worker, 2],
    [users.reader, 1],
    [users.owner, 1],
  ] as const) {
    const reply = await ask('GET', `/matter/${record}/history`, { as })
    assert.equal(reply.json().data.length, count, as)
  }
})
