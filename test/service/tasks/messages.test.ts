/**
 * Assignees are notified of each assignment, and of each due date once before it and once after it, in the language of
 * the project's locale.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sweepDueTasks } from '../../../src/tasks/task-messages.ts'
import { until } from '../../support/wait.ts'
import { startTestWorker } from '../../support/worker.ts'
import {
  ask,
  createRecord,
  createTask,
  ids,
  messagesOf,
  rowsOf,
  service,
  shareTasks,
  users,
} from './a-task-project.ts'

let record: number
shareTasks()
before(async () => {
  record = await createRecord()
})

const put = async (taskId: number, body: object) => {
  const reply = await ask('PUT', `/matter/${record}/${taskId}`, { body })
  assert.equal(reply.status, 204, reply.text)
}
const kindsOf = async (taskId: number) =>
  (await messagesOf(taskId)).map(({ kind }: { kind: string }) => kind)
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const sweep = () => sweepDueTasks(service.database.pool)
/** Sets the time of the last sweep some hours back. */
const setLastSweepBack = (hours: number) =>
  rowsOf('UPDATE docket.task_sweep SET swept_to = now() - make_interval(hours => $1)', [hours])
const sweepAfter = async (hours: number) => {
  await setLastSweepBack(hours)
  await sweep()
}
/** Moves the due date without a message. */
const moveDue = (taskId: number, to: string) =>
  rowsOf(`UPDATE records.task SET due_date = ${to} WHERE id = $1`, [taskId])

test('the assignee is notified once of an assignment, by create and by change', async () => {
  const taskId = await createTask(record, { assigne_id: 1 })
  await put(taskId, { assigne_id: 1, description: 'x' })
  await put(taskId, { assigne_id: ids.worker })
  await put(taskId, { assigne_id: null })
  const messages = await messagesOf(taskId)
  assert.deepEqual(
    messages.map(({ kind, user_id, actor_id }) => [kind, user_id, actor_id]),
    [
      ['assigned', 1, 1],
      ['assigned', ids.worker, 1],
    ],
  )
  assert.equal(new Set(messages.map(({ event }) => event)).size, 2)
})

test('no message is written for a task that is unassigned or completed', async () => {
  const [a, b] = [
    await createTask(record, { due_date: inHours(1) }),
    await createTask(record, { due_date: inHours(1), assigne_id: 1, is_completed: true }),
  ]
  await sweepAfter(48)
  assert.deepEqual([await kindsOf(a), await kindsOf(b)], [[], ['assigned']])
})

test('an assignment says when the task is due, and no second message does; a later change of the due date has one', async () => {
  const soon = await createTask(record, { assigne_id: 1, due_date: inHours(2) })
  const past = await createTask(record, { assigne_id: 1, due_date: inHours(-2) })
  const later = await createTask(record, { assigne_id: 1, due_date: inHours(30) })
  await sweep()
  for (const taskId of [soon, past, later]) assert.deepEqual(await kindsOf(taskId), ['assigned'])
  await put(soon, { assigne_id: ids.worker, due_date: inHours(-2) })
  assert.deepEqual(await kindsOf(soon), ['assigned', 'assigned'])
  await put(soon, { due_date: inHours(-3) })
  assert.deepEqual(await kindsOf(soon), ['assigned', 'assigned', 'overdue'])
  await put(later, { due_date: inHours(2) })
  assert.deepEqual(await kindsOf(later), ['assigned', 'due_soon'])
})

test('concurrent sweeps write one message for each due date that came within a day or passed', async () => {
  const approaching = await createTask(record, { assigne_id: 1, due_date: inHours(24.2) })
  const passing = await createTask(record, { assigne_id: 1, due_date: inHours(0.1) })
  // Both dates are moved half an hour back, as if that time had passed.
  for (const taskId of [approaching, passing])
    await moveDue(taskId, `due_date - interval '30 minutes'`)
  await rowsOf(
    `UPDATE docket.task_notice SET due_date = due_date - interval '30 minutes' WHERE task_id = $1`,
    [passing],
  )
  await setLastSweepBack(1)
  await Promise.all([sweep(), sweep(), sweep()])
  await sweepAfter(1)
  assert.deepEqual(await kindsOf(approaching), ['assigned', 'due_soon'])
  assert.deepEqual(await kindsOf(passing), ['assigned', 'overdue'])
})

test('after a long downtime a sweep adds only the overdue message for a due date that passed', async () => {
  const taskId = await createTask(record, { assigne_id: 1, due_date: inHours(40) })
  await moveDue(taskId, `now() - interval '2 days'`)
  await sweepAfter(24 * 7)
  assert.deepEqual(await kindsOf(taskId), ['assigned', 'overdue'])
})

test('a new due date adds a message, a completed task adds none, and a reopened overdue task adds one', async () => {
  const taskId = await createTask(record, { assigne_id: 1, due_date: inHours(2) })
  await put(taskId, { due_date: inHours(3) })
  await put(taskId, { is_completed: true, due_date: inHours(-1) })
  assert.deepEqual(await kindsOf(taskId), ['assigned', 'due_soon'])
  await put(taskId, { description: 'still done' })
  await put(taskId, { is_completed: false })
  await put(taskId, { description: 'open' })
  assert.deepEqual(await kindsOf(taskId), ['assigned', 'due_soon', 'overdue'])
})

test('a removed task gets no further messages', async () => {
  const taskId = await createTask(record, { assigne_id: 1, due_date: inHours(30) })
  assert.equal((await ask('DELETE', `/matter/${record}/${taskId}`)).status, 204)
  await moveDue(taskId, 'now()')
  await sweepAfter(1)
  assert.deepEqual(await kindsOf(taskId), ['assigned'])
})

test('a sweep stores its time, also when nothing is due', async () => {
  await sweepAfter(5)
  const [{ fresh }] = await rowsOf(
    `SELECT swept_to > now() - interval '1 minute' AS fresh FROM docket.task_sweep`,
  )
  assert.equal(fresh, true)
})

test('entity, choice and words are in the language of the locale, in the inbox and in the calendar', async () => {
  const as = users.inspector
  const assigne_id = ids.inspector
  const inspect = async (kind: string, task: object): Promise<number> => {
    const { id } = (await ask('POST', '/inspection', { body: { kind } })).json()
    await ask('POST', `/inspection/${id}/task`, { body: { assigne_id, ...task } })
    return id
  }
  const due_date = '2027-03-04T08:00:00.000Z'
  const boiler = await inspect('boiler', { description: 'Kessel ablesen', due_date })
  await inspect('lift', { due_date: inHours(-9) })
  const worker = await startTestWorker(service)
  const told = await until('two notifications', async () => {
    const found = (await ask('GET', '/api/notifications', { as })).json()
    return found.length === 2 && found.map((one: { content: { message: string } }) => one.content)
  }).finally(worker.stop)
  assert.deepEqual(told.map(({ message }: { message: string }) => message).sort(), [
    'Administrator: Eine Aufgabe (Prüfung Lift)',
    'Administrator: Kessel ablesen (Prüfung Heizkessel)',
  ])
  const { url } = (await ask('POST', '/api/tasks/calendar', { as })).json()
  const { pathname, search } = new URL(url)
  const calendar = await ask('GET', pathname + search, { as: null })
  const text = calendar.text.replaceAll('\r\n ', '')
  assert.match(text, /X-WR-CALNAME:Vorgänge: inspector Example/)
  assert.match(text, new RegExp(`Kessel ablesen\\\\n\\\\nPrüfung ${boiler}`))
  assert.match(text, /SUMMARY:Eine Aufgabe/)
  assert.doesNotMatch(text, /inspection|Inspection|SUMMARY:Task/)
})
