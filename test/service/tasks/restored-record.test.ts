/** Restoring a record restores its own tasks and the links of other tasks to it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  createRecord,
  createTask,
  messagesOf,
  startTasks,
  type TaskService,
  tasksOf,
} from './a-task-project.ts'

let service: TaskService
let ask: TaskService['ask']
before(async () => {
  service = await startTasks()
  ask = service.ask
})
after(() => service.stop())

const idsOf = async (path: string) =>
  (await tasksOf(service, path)).map(({ id }: { id: number }) => id)
const remove = async (path: string) => assert.equal((await ask('DELETE', path)).status, 204)
const restore = async (record: number) =>
  assert.equal((await ask('POST', `/matter/${record}/restore`)).status, 200)

test('tasks that were removed with the record are restored, a task that was removed before is not', async () => {
  const record = await createRecord(service)
  const kept = await createTask(service, record, { description: 'Keep' })
  const gone = await createTask(service, record)
  await remove(`/matter/${record}/${gone}`)
  await remove(`/matter/${record}`)
  await restore(record)
  assert.deepEqual(await idsOf(`/matter/${record}`), [kept])
  const history = (await ask('GET', `/task/${kept}/history`)).json().data
  assert.deepEqual(
    history.map(({ operation }: { operation: string }) => operation),
    ['restoreTask', 'removeTask', 'createTask'],
  )
})

test('links of other tasks are restored, also when both records were removed', async () => {
  const [one, two] = [await createRecord(service), await createRecord(service)]
  const link = { related_entities: [{ key: 'matter', entity_id: two }] }
  const task = await createTask(service, one, link)
  await remove(`/matter/${two}`)
  await remove(`/matter/${one}`)
  await restore(two)
  assert.deepEqual(await idsOf(`/matter/${two}`), [])
  await restore(one)
  assert.deepEqual(await idsOf(`/matter/${one}`), [task])
  assert.deepEqual(await idsOf(`/matter/${two}`), [task])
})

test('removing and restoring a record repeatedly duplicates nothing', async () => {
  const record = await createRecord(service)
  const task = await createTask(service, record)
  for (let round = 0; round < 3; round++) {
    await remove(`/matter/${record}`)
    await restore(record)
  }
  assert.deepEqual(await idsOf(`/matter/${record}`), [task])
})

test('restoring a record adds one message for a task that became overdue meanwhile', async () => {
  const record = await createRecord(service)
  const due_date = new Date(Date.now() + 48 * 3_600_000).toISOString()
  const task = await createTask(service, record, { assigne_id: service.ids.worker, due_date })
  await remove(`/matter/${record}`)
  await service.database.pool.query(
    `UPDATE records.task SET due_date = now() - interval '1 hour' WHERE id = $1`,
    [task],
  )
  await restore(record)
  const kinds = (await messagesOf(service, task)).map(({ kind }: { kind: string }) => kind)
  assert.deepEqual(kinds, ['assigned', 'overdue'])
})
