/** Assignees are notified of every assignment, and of due dates that still apply; hooks and rules of tasks work like those of other entities. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, test } from 'node:test'
import { sweepDueTasks } from '../../../src/tasks/task-messages.ts'
import { awayFromMidnight } from '../../support/away-from-midnight.ts'
import { holdJobs, shareEngine } from './an-engine.ts'

const engine = await shareEngine('without_rules')
const record = await engine.create({ number: 'R-1' })
const anna = engine.ids.anna
// Other files have requests of this entity too.
beforeEach(() => takeNotifications())

const query = (text: string, values: unknown[] = []) => engine.database.pool.query(text, values)
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
/** Noon in two days of the calendar, by which the service counts, at any hour of the day. */
const inTwoDays = () => {
  const day = Temporal.Now.plainDateISO('Europe/Zagreb').add({ days: 2 })
  const noon = day.toZonedDateTime({ timeZone: 'Europe/Zagreb', plainTime: '12:00' })
  return noon.toInstant().toString()
}
/** Creates a task, of anna and due in three hours unless the values say something else. */
const createTask = async (values: object = {}, at = record): Promise<number> => {
  const body = { assigne_id: anna, due_date: inHours(3), ...values }
  return (await engine.send('POST', `/without_rules/${at}/task`, body)).id
}
const put = (taskId: number, body: object) =>
  engine.send('PUT', `/without_rules/${record}/${taskId}`, body)

const taken = new Set<string>()
/** The notifications that were not taken before: recipient and title, in their order. */
const takeNotifications = async () => {
  await engine.settled()
  const { rows } = await query(
    `SELECT n._id AS id, u.first_name AS name, n.content
     FROM docket.notification n JOIN records."user" u ON u.id = n.user_id
     WHERE n.entity_key = 'without_rules' AND n._id <> ALL ($1) ORDER BY n.timestamp, n._id`,
    [[...taken]],
  )
  for (const { id } of rows) taken.add(id)
  return rows.map(({ name, content }) => `${name}: ${JSON.parse(content).title}`)
}
const assertTold = async (...expected: string[]) =>
  assert.deepEqual((await takeNotifications()).sort(), expected.sort())
const newestOfAnna = async () => {
  await engine.settled()
  return (await engine.send('GET', '/api/notifications?limit=1', undefined, 'anna'))[0]
}

const assigned = 'anna: Task assigned to you'
const dueSoon = 'anna: Task due soon'

test('an assignee gets a notification with the record of the task', async () => {
  await awayFromMidnight('Europe/Zagreb')
  await createTask({ description: 'Check the price\nand the date', due_date: inTwoDays() })
  const { _id, timestamp, ...notification } = await newestOfAnna()
  assert.deepEqual(notification, {
    user_id: anna,
    entity_key: 'without_rules',
    entity_id: record,
    seen: false,
    content: {
      icon: 'clipboard',
      title: 'Task assigned to you',
      url: null,
      due_date: 'in 2 days',
      message: 'Administrator: Check the price (Request R-1)',
    },
  })
  await assertTold(assigned)
})

test('the message names what the task and its record are called, as text', async () => {
  const other = await engine.create()
  const description = '{{ actor.email }} <b>{% raw %}'
  for (const [values, at, message] of [
    [{ description }, record, `${description} (Request R-1)`],
    [{}, other, `A task (Request ${other})`],
  ] as const) {
    await createTask(values, at)
    assert.equal((await newestOfAnna()).content.message, `Administrator: ${message}`)
  }
})

test('an assignment alone is told of a task that is due in the past, and later due dates when they come', async () => {
  await createTask({ due_date: inHours(-3) })
  const later = await createTask({ due_date: inHours(30) })
  await assertTold(assigned, assigned)
  const { pool } = engine.database
  for (const [hours, told] of [
    [23, dueSoon],
    [-1, 'anna: Task overdue'],
  ] as const) {
    await query('UPDATE records.task SET due_date = $2 WHERE id = $1', [later, inHours(hours)])
    await query(`UPDATE docket.task_sweep SET swept_to = now() - interval '2 days'`)
    await Promise.all([sweepDueTasks(pool), sweepDueTasks(pool)])
    await assertTold(told)
  }
})

test('nobody is told of an assignment of a task that is completed', async () => {
  const id = await createTask({ assigne_id: engine.ids.bruno, is_completed: true })
  await takeNotifications()
  await put(id, { assigne_id: anna })
  await assertTold()
})

test('an assignment is told as it was, whatever becomes of the task before its message is processed', async () => {
  await awayFromMidnight('Europe/Zagreb')
  const release = await holdJobs(engine)
  const other = await engine.create()
  const [postponed, completed, unassigned, reassigned, removed] = [
    await createTask(),
    await createTask(),
    await createTask(),
    await createTask(),
    await createTask(),
  ]
  await createTask({}, other)
  const changed = await createTask({ description: 'Before', due_date: inTwoDays() })
  await put(postponed, { due_date: inHours(72) })
  await put(completed, { is_completed: true })
  await put(unassigned, { assigne_id: null })
  await put(reassigned, { assigne_id: engine.ids.bruno })
  await put(changed, { description: 'After', due_date: null })
  await engine.send('DELETE', `/without_rules/${record}/${removed}`)
  await engine.send('DELETE', `/without_rules/${other}`)
  await release()
  await assertTold(...Array(7).fill(assigned), 'bruno: Task assigned to you')
  const told = await engine.send('GET', '/api/notifications?limit=7', undefined, 'anna')
  const message = 'Administrator: Before (Request R-1)'
  const [{ content }] = told.filter((one: typeof told) => one.content.message === message)
  assert.equal(content.due_date, 'in 2 days')
  await put(completed, { is_completed: false })
  await assertTold()
  await put(unassigned, { assigne_id: anna })
  await assertTold(assigned)
})

test('nobody is told who is blocked, inactive or removed when the message is processed', async () => {
  const { bruno, clara, olga } = engine.ids
  const release = await holdJobs(engine)
  for (const assigne_id of [bruno, clara, olga]) await createTask({ assigne_id })
  const set = (isOut: boolean) =>
    query(
      `UPDATE records."user" SET is_blocked = id = ${bruno} AND ${isOut}, is_active = NOT (id = ${clara} AND ${isOut}),
         _is_deleted = id = ${olga} AND ${isOut} WHERE id = ANY ($1)`,
      [[bruno, clara, olga]],
    )
  await set(true)
  await release()
  await assertTold()
  await set(false)
})

test('a reminder whose job runs again after its task was reopened is stored once', async () => {
  const taskId = await createTask({ due_date: inHours(30) })
  await assertTold(assigned)
  const release = await holdJobs(engine)
  await put(taskId, { due_date: inHours(3) })
  const { rows } = await query(
    `SELECT payload FROM docket.job WHERE payload ->> 'kind' = 'due_soon'`,
  )
  await put(taskId, { is_completed: true })
  await release()
  await takeNotifications()
  // As if a process was killed before it stored that the job is done.
  await query(`SELECT FROM docket.add_job('task.tell', $1::json)`, [rows[0]?.payload])
  await put(taskId, { is_completed: false })
  await assertTold(dueSoon)
})

test('create, change and remove of a task run its hooks once and notify the recipients that explain lists', async () => {
  const path = `/without_rules/${record}`
  const write = (method: string, to: string, body?: object) => engine.send(method, path + to, body)
  const assigne_id = engine.ids.sam
  const { id } = await write('POST', '/task', { description: 'By rule', assigne_id })
  // The role of the assignee has no permission on tasks, but assignees may read their own tasks.
  const told = await engine.notificationsAbout(id, 'task')
  assert.deepEqual(
    told.map(({ user_id, content }) => `${user_id}: ${content.title}`),
    [1, assigne_id].map((user) => `${user}: Do By rule`),
  )
  const explained = { entityKey: 'task', entityId: id, operation: 'create' }
  const { isActive, entries } = await engine.send('POST', '/api/notifications/explain', explained)
  const recipients: { told: boolean }[] = entries[0].recipients
  assert.deepEqual([isActive, ...recipients.map((one) => one.told)], [true, true, true])
  // Hooks of different changes may run side by side. Without a difference no hook runs, nor for a task that is refused.
  for (const description of ['By a rule', 'By a rule']) {
    await write('PUT', `/${id}`, { description })
    await engine.settled()
  }
  await write('DELETE', `/${id}`)
  const refused = write('POST', '/task', { description: 'By rule', assigne_id: 99_999 })
  await assert.rejects(refused, /: 422 /)
  await engine.settled()
  const file = join(engine.project.directory, 'message-handlers', 'calls.jsonl')
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  assert.ok(lines.every((line) => !line.includes('99999')))
  const calls = lines.map((line) => JSON.parse(line)).filter((call) => call.entityId === id)
  assert.partialDeepStrictEqual(calls, [
    {
      operation: 'create',
      actor: 'Administrator',
      changes: { description: { after: 'By rule' }, assigne_id: { after: assigne_id } },
    },
    { operation: 'change', changes: { description: { before: 'By rule', after: 'By a rule' } } },
    { operation: 'remove', changes: { _is_deleted: { before: false, after: true } } },
  ])
  assert.equal(calls.length, 3)
})
