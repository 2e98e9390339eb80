/** The history of tasks: who did what with before and after, in the history of their record. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createRecord, createTask, people, startTasks, type TaskService } from './a-task-project.ts'

let service: TaskService
before(async () => {
  service = await startTasks()
})
after(() => service.stop())

test('created, changed, assigned, completed, reopened, removed', async () => {
  const { ask, ids } = service
  const record = await createRecord(service)
  const taskId = await createTask(service, record, { description: 'a' })
  const put = (body: object, as: string) => ask('PUT', `/matter/${record}/${taskId}`, { body, as })
  await put({ description: 'b', payload: 'p' }, people.worker)
  await put({ assigne_id: ids.reader }, people.worker)
  await put({ is_completed: true }, people.reader)
  await put({ is_completed: false }, people.reader)
  await ask('DELETE', `/matter/${record}/${taskId}`, { as: people.worker })
  const told = [
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
    told,
  )
  assert.equal(history.at(-1).operation, 'create')
  assert.equal(history.at(-1).task_id, null)
})

test("a task's own history is the same entries; fields that are hidden from the reader are left out", async () => {
  const record = await createRecord(service)
  const taskId = await createTask(service, record, { payload: 'secret' })
  const path = `/task/${taskId}/history`
  const [entry] = (await service.ask('GET', path)).json().data
  assert.deepEqual(entry.changes.payload, { after: 'secret' })
  const [seen] = (await service.ask('GET', path, { as: people.clerk })).json().data
  assert.deepEqual([seen.operation, 'payload' in seen.changes], ['createTask', false])
})

test('who may not see the tasks of a record does not see their history', async () => {
  const record = await createRecord(service)
  await createTask(service, record)
  for (const [as, count] of [
    [people.worker, 2],
    [people.reader, 1],
    [people.owner, 1],
  ] as const) {
    const reply = await service.ask('GET', `/matter/${record}/history`, { as })
    assert.equal(reply.json().data.length, count, as)
  }
})
