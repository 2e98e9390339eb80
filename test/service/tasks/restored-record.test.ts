/** Restoring a record restores its own tasks and the links of other tasks to it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ask,
  createRecord,
  createTask,
  ids,
  messagesOf,
  service,
  shareTasks,
  taskIdsOf,
} from './a-task-project.ts'

shareTasks()

const remove = async (path: string) => assert.equal((await ask('DELETE', path)).status, 204)
const restore = async (record: number) =>
  assert.equal((await ask('POST', `/matter/${record}/restore`)).status, 200)

test('tasks that were removed with the record are restored, a task that was removed before is not', async () => {
  const record = await createRecord()
  const kept = await createTask(record, { description: 'Keep' })
  const gone = await createTask(record)
  await remove(`/matter/${record}/${gone}`)
  await remove(`/matter/${record}`)
  await restore(record)
  assert.deepEqual(await taskIdsOf(`/matter/${record}`), [kept])
  const history = (await ask('GET', `/task/${kept}/history`)).json().data
  assert.deepEqual(
    history.map(({ operation }: { operation: string }) => operation),
    ['restoreTask', 'removeTask', 'createTask'],
  )
})

test('links of other tasks are restored, also when both records were removed', async () => {
  const [one, two] = [await createRecord(), await createRecord()]
  const link = { related_entities: [{ key: 'matter', entity_id: two }] }
  const task = await createTask(one, link)
  await remove(`/matter/${two}`)
  await remove(`/matter/${one}`)
  await restore(two)
  assert.deepEqual(await taskIdsOf(`/matter/${two}`), [])
  await restore(one)
  assert.deepEqual(await taskIdsOf(`/matter/${one}`), [task])
  assert.deepEqual(await taskIdsOf(`/matter/${two}`), [task])
})

test('removing and restoring a record repeatedly duplicates nothing', async () => {
  const record = await createRecord()
  const task = await createTask(record)
  for (let round = 0; round < 3; round++) {
    await remove(`/matter/${record}`)
    await restore(record)
  }
  assert.deepEqual(await taskIdsOf(`/matter/${record}`), [task])
})

test('restoring a record adds one message for a task that became overdue meanwhile', async () => {
  const record = await createRecord()
  const due_date = new Date(Date.now() + 48 * 3_600_000).toISOString()
  const task = await createTask(record, { assigne_id: ids.worker, due_date })
  await remove(`/matter/${record}`)
  await service.database.pool.query(
    `UPDATE records.task SET due_date = now() - interval '1 hour' WHERE id = $1`,
    [task],
  )
  await restore(record)
  const kinds = (await messagesOf(task)).map(({ kind }: { kind: string }) => kind)
  assert.deepEqual(kinds, ['assigned', 'overdue'])
})
