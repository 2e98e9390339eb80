/** What assignees are told: each assignment, and each due date once when it comes near and once when it passes. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sweepDueTasks } from '../../src/tasks/write/task-messages.ts'
import {
  createRecord,
  createTask,
  messagesOf,
  rowsOf,
  startTasks,
  type TaskService,
} from './a-task-project.ts'

let service: TaskService
let record: number
before(async () => {
  service = await startTasks()
  record = await createRecord(service)
})
after(() => service.stop())

const put = async (taskId: number, body: object) => {
  const reply = await service.ask('PUT', `/matter/${record}/${taskId}`, { body })
  assert.equal(reply.status, 204, reply.text)
}
const kindsOf = async (taskId: number) =>
  (await messagesOf(service, taskId)).map(({ kind }: { kind: string }) => kind)
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const sweep = () => sweepDueTasks(service.database.pool)
/** As if no process had looked for some hours. */
const sleepSince = (hours: number) =>
  service.database.pool.query(
    'UPDATE docket.task_sweep SET swept_to = now() - make_interval(hours => $1)',
    [hours],
  )

test('an assignment is told to the assignee, by create and by change, and not twice', async () => {
  const taskId = await createTask(service, record, { assigne_id: 1 })
  await put(taskId, { assigne_id: 1, description: 'x' })
  await put(taskId, { assigne_id: service.ids.worker })
  await put(taskId, { assigne_id: null })
  const messages = await messagesOf(service, taskId)
  assert.deepEqual(
    messages.map(({ kind, user_id, actor_id }) => [kind, user_id, actor_id]),
    [
      ['assigned', 1, 1],
      ['assigned', service.ids.worker, 1],
    ],
  )
  assert.equal(new Set(messages.map(({ event }) => event)).size, 2)
})

test('nobody is told of a task that nobody has, or that is done', async () => {
  const [a, b] = [
    await createTask(service, record, { due_date: inHours(1) }),
    await createTask(service, record, { due_date: inHours(1), assigne_id: 1, is_completed: true }),
  ]
  await sleepSince(48)
  await sweep()
  assert.deepEqual([await kindsOf(a), await kindsOf(b)], [[], ['assigned']])
})

test('due within a day, or past, is told with the write; later dates by the sweep', async () => {
  const soon = await createTask(service, record, { assigne_id: 1, due_date: inHours(2) })
  const past = await createTask(service, record, { assigne_id: 1, due_date: inHours(-2) })
  const later = await createTask(service, record, { assigne_id: 1, due_date: inHours(30) })
  assert.deepEqual(await kindsOf(soon), ['assigned', 'due_soon'])
  assert.deepEqual(await kindsOf(past), ['assigned', 'overdue'])
  await sweep()
  assert.deepEqual(await kindsOf(later), ['assigned'])
})

test('a sweep tells what came near and what passed since the last one, once, however many sweep', async () => {
  const { pool } = service.database
  const near = await createTask(service, record, { assigne_id: 1, due_date: inHours(24.2) })
  const passing = await createTask(service, record, { assigne_id: 1, due_date: inHours(0.1) })
  // Time goes by: both dates are half an hour earlier now.
  const earlier = `UPDATE records.task SET due_date = due_date - interval '30 minutes' WHERE id = ANY ($1)`
  await pool.query(earlier, [[near, passing]])
  await pool.query(
    `UPDATE docket.task_notice SET due_date = due_date - interval '30 minutes' WHERE task_id = $1`,
    [passing],
  )
  await sleepSince(1)
  await Promise.all([sweep(), sweep(), sweep()])
  await sleepSince(1)
  await sweep()
  assert.deepEqual(await kindsOf(near), ['assigned', 'due_soon'])
  assert.deepEqual(await kindsOf(passing), ['assigned', 'due_soon', 'overdue'])
})

test('a service that was down for long catches up: what passed meanwhile is told as overdue only', async () => {
  const taskId = await createTask(service, record, { assigne_id: 1, due_date: inHours(40) })
  await service.database.pool.query(
    `UPDATE records.task SET due_date = now() - interval '2 days' WHERE id = $1`,
    [taskId],
  )
  await sleepSince(24 * 7)
  await sweep()
  assert.deepEqual(await kindsOf(taskId), ['assigned', 'overdue'])
})

test('another due date is told anew; completing disarms; reopening tells what was not told', async () => {
  const taskId = await createTask(service, record, { assigne_id: 1, due_date: inHours(2) })
  await put(taskId, { due_date: inHours(3) })
  await put(taskId, { is_completed: true, due_date: inHours(-1) })
  assert.deepEqual(await kindsOf(taskId), ['assigned', 'due_soon', 'due_soon'])
  await put(taskId, { description: 'still done' })
  await put(taskId, { is_completed: false })
  await put(taskId, { description: 'open' })
  assert.deepEqual(await kindsOf(taskId), ['assigned', 'due_soon', 'due_soon', 'overdue'])
})

test('a removed task is told of no more', async () => {
  const taskId = await createTask(service, record, { assigne_id: 1, due_date: inHours(30) })
  assert.equal((await service.ask('DELETE', `/matter/${record}/${taskId}`)).status, 204)
  await service.database.pool.query(`UPDATE records.task SET due_date = now() WHERE id = $1`, [
    taskId,
  ])
  await sleepSince(1)
  await sweep()
  assert.deepEqual(await kindsOf(taskId), ['assigned'])
})

test('the sweep remembers how far it came, also when nothing was due', async () => {
  await sleepSince(5)
  await sweep()
  const [{ fresh }] = await rowsOf(
    service,
    `SELECT swept_to > now() - interval '1 minute' AS fresh FROM docket.task_sweep`,
  )
  assert.equal(fresh, true)
})
