/** Assignees are notified of every assignment, and of due dates that still apply. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sweepDueTasks } from '../../../src/tasks/write/task-messages.ts'
import { awayFromMidnight } from '../../support/away-from-midnight.ts'
import { type Engine, holdJobs, shareEngine } from './an-engine.ts'

let engine: Engine
let record: number
before(async () => {
  engine = await shareEngine('without_rules')
  record = await engine.create({ number: 'R-1' })
  // Other files have requests of this entity too.
  await takeNotifications()
})

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
/** Noon in two days of the calendar, by which the service counts, at any hour of the day. */
const inTwoDays = () => {
  const day = Temporal.Now.plainDateISO('Europe/Zagreb').add({ days: 2 })
  return day
    .toZonedDateTime({ timeZone: 'Europe/Zagreb', plainTime: '12:00' })
    .toInstant()
    .toString()
}
const createTask = async (body: object, at = record): Promise<number> => {
  const reply = await engine.ask('POST', `/without_rules/${at}/task`, { body })
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}
const put = async (taskId: number, body: object) => {
  const reply = await engine.ask('PUT', `/without_rules/${record}/${taskId}`, { body })
  assert.equal(reply.status, 204, reply.text)
}
const taken = new Set<string>()
/** The notifications that were not taken before: recipient and title. */
const takeNotifications = async () => {
  await engine.settled()
  const { rows } = await engine.database.pool.query<{ id: string; name: string; content: string }>(
    `SELECT n._id AS id, u.first_name AS name, n.content
     FROM docket.notification n JOIN records."user" u ON u.id = n.user_id
     WHERE n.entity_key = 'without_rules' AND n._id <> ALL ($1) ORDER BY n.timestamp, n._id`,
    [[...taken]],
  )
  for (const { id } of rows) taken.add(id)
  return rows.map(({ name, content }) => `${name}: ${JSON.parse(content).title}`)
}

test('an assignee gets a notification with the record of the task', async () => {
  await awayFromMidnight('Europe/Zagreb')
  const assigne_id = engine.ids.anna
  await createTask({
    description: 'Check the price\nand the date',
    assigne_id,
    due_date: inTwoDays(),
  })
  await engine.settled()
  const [{ _id, timestamp, ...notification }] = (
    await engine.ask('GET', '/api/notifications?limit=1', { as: engine.mailOf('anna') })
  ).json()
  assert.deepEqual(notification, {
    user_id: assigne_id,
    entity_key: 'without_rules',
    entity_id: record,
    content: {
      icon: 'clipboard',
      title: 'Task assigned to you',
      message: 'Administrator: Check the price (Request R-1)',
      url: null,
      due_date: 'in 2 days',
    },
    seen: false,
  })
  assert.deepEqual(await takeNotifications(), ['anna: Task assigned to you'])
})

test('a new assignee is notified, an unchanged assignee is not', async () => {
  const taskId = await createTask({ assigne_id: engine.ids.anna })
  await put(taskId, { description: 'x', assigne_id: engine.ids.anna })
  assert.deepEqual(await takeNotifications(), ['anna: Task assigned to you'])
  await put(taskId, { assigne_id: engine.ids.bruno })
  assert.deepEqual(await takeNotifications(), ['bruno: Task assigned to you'])
})

test('assignees are notified immediately of due dates within a day or in the past, and later of other due dates', async () => {
  const { pool } = engine.database
  const assigne_id = engine.ids.anna
  const moment = (hours: number) => ({ assigne_id, due_date: inHours(hours) })
  await createTask(moment(3))
  await createTask(moment(-3))
  const later = await createTask(moment(30))
  const titles = (await takeNotifications()).sort()
  assert.deepEqual(titles, [
    'anna: Task assigned to you',
    'anna: Task assigned to you',
    'anna: Task assigned to you',
    'anna: Task due soon',
    'anna: Task overdue',
  ])
  const notifiedWhenDueIn = async (hours: number) => {
    await pool.query('UPDATE records.task SET due_date = $2 WHERE id = $1', [later, inHours(hours)])
    await pool.query(`UPDATE docket.task_sweep SET swept_to = now() - interval '2 days'`)
    await Promise.all([sweepDueTasks(pool), sweepDueTasks(pool)])
    return takeNotifications()
  }
  assert.deepEqual(await notifiedWhenDueIn(23), ['anna: Task due soon'])
  assert.deepEqual(await notifiedWhenDueIn(-1), ['anna: Task overdue'])
})

const outOfDate: readonly [what: string, change: object][] = [
  ['was completed', { is_completed: true }],
  ['was unassigned', { assigne_id: null }],
]
for (const [what, change] of outOfDate)
  test(`a task that ${what} before its messages are processed sends only the notification of the assignment`, async () => {
    const release = await holdJobs(engine)
    const taskId = await createTask({ assigne_id: engine.ids.anna, due_date: inHours(3) })
    await put(taskId, change)
    await release()
    assert.deepEqual(await takeNotifications(), ['anna: Task assigned to you'])
  })

test('a reassigned task notifies each assignee of the assignment, and the current one of the due date', async () => {
  const release = await holdJobs(engine)
  const taskId = await createTask({ assigne_id: engine.ids.anna, due_date: inHours(3) })
  await put(taskId, { assigne_id: engine.ids.bruno })
  await release()
  assert.deepEqual((await takeNotifications()).sort(), [
    'anna: Task assigned to you',
    'bruno: Task assigned to you',
    'bruno: Task due soon',
  ])
})

test('the notification of an assignment has the description at that time', async () => {
  await awayFromMidnight('Europe/Zagreb')
  const release = await holdJobs(engine)
  const { anna: assigne_id } = engine.ids
  const taskId = await createTask({ assigne_id, description: 'Before', due_date: inTwoDays() })
  await put(taskId, { description: 'After', due_date: null, assigne_id: null })
  await release()
  await engine.settled()
  const reply = await engine.ask('GET', '/api/notifications?limit=1', { as: engine.mailOf('anna') })
  const [{ content }] = reply.json()
  assert.equal(content.message, 'Administrator: Before (Request R-1)')
  assert.equal(content.due_date, 'in 2 days')
  await takeNotifications()
})

const undoneChanges: readonly [
  what: string,
  change: object,
  undo: (assigne_id: number) => object,
][] = [
  ['completed and reopened', { is_completed: true }, () => ({ is_completed: false })],
  ['unassigned and assigned again', { assigne_id: null }, (assigne_id) => ({ assigne_id })],
]
for (const [what, change, undo] of undoneChanges)
  test(`an outdated reminder is sent once when its task is ${what}`, async () => {
    const release = await holdJobs(engine)
    const { anna: assigne_id } = engine.ids
    const taskId = await createTask({ assigne_id, due_date: inHours(3) })
    await put(taskId, change)
    await release()
    assert.deepEqual(await takeNotifications(), ['anna: Task assigned to you'])
    await put(taskId, undo(assigne_id))
    const titles = (await takeNotifications()).filter((line) => !line.includes('assigned'))
    assert.deepEqual(titles, ['anna: Task due soon'])
  })

test('a reminder whose job runs again after its task was reopened is stored once', async () => {
  const { pool } = engine.database
  const release = await holdJobs(engine)
  const taskId = await createTask({ assigne_id: engine.ids.anna, due_date: inHours(3) })
  const { rows } = await pool.query<{ payload: string }>(
    `SELECT j.payload FROM graphile_worker._private_jobs j WHERE j.payload ->> 'kind' = 'due_soon'`,
  )
  await put(taskId, { is_completed: true })
  await release()
  await takeNotifications()
  // As if a process was killed before it stored that the job is done.
  await pool.query(`SELECT graphile_worker.add_job('task.tell', $1::json)`, [rows[0]?.payload])
  await put(taskId, { is_completed: false })
  assert.deepEqual(await takeNotifications(), ['anna: Task due soon'])
})

test('a postponed due date sends no notification', async () => {
  const release = await holdJobs(engine)
  const taskId = await createTask({ assigne_id: engine.ids.anna, due_date: inHours(3) })
  await put(taskId, { due_date: inHours(72) })
  await release()
  assert.deepEqual(await takeNotifications(), ['anna: Task assigned to you'])
})

test('a task that was removed, alone or with its record, sends only the notification of the assignment', async () => {
  const release = await holdJobs(engine)
  const other = await engine.create()
  const values = { assigne_id: engine.ids.anna, due_date: inHours(3) }
  const [taskId] = [await createTask(values), await createTask(values, other)]
  assert.equal((await engine.ask('DELETE', `/without_rules/${record}/${taskId}`)).status, 204)
  assert.equal((await engine.ask('DELETE', `/without_rules/${other}`)).status, 204)
  await release()
  assert.deepEqual(await takeNotifications(), [
    'anna: Task assigned to you',
    'anna: Task assigned to you',
  ])
})

for (const state of ['is_blocked = true', 'is_active = false', '_is_deleted = true'])
  test(`an assignee with ${state} is not notified`, async () => {
    const { pool } = engine.database
    const { clara } = engine.ids
    const release = await holdJobs(engine)
    await createTask({ assigne_id: clara, due_date: inHours(3) })
    await pool.query(`UPDATE records."user" SET ${state} WHERE id = $1`, [clara])
    await release()
    assert.deepEqual(await takeNotifications(), [])
    await pool.query(
      'UPDATE records."user" SET is_blocked = false, is_active = true, _is_deleted = false WHERE id = $1',
      [clara],
    )
  })

test('braces and HTML in a description are not evaluated', async () => {
  const description = '{{ actor.email }} <b>{% raw %}'
  await createTask({ description, assigne_id: engine.ids.anna })
  await engine.settled()
  const reply = await engine.ask('GET', '/api/notifications?limit=1', { as: engine.mailOf('anna') })
  assert.equal(reply.json()[0].content.message, `Administrator: ${description} (Request R-1)`)
  await takeNotifications()
})

test('a task without a description of a record without a name has default texts', async () => {
  const other = await engine.create()
  await createTask({ assigne_id: engine.ids.anna }, other)
  await engine.settled()
  const reply = await engine.ask('GET', '/api/notifications?limit=1', { as: engine.mailOf('anna') })
  assert.equal(reply.json()[0].content.message, `Administrator: A task (Request ${other})`)
})
