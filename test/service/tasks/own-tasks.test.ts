/** Tasks of a user: lists by status, counters, tasks of other users, the calendar feed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import ical from 'node-ical'
import { issuesOf } from '../../support/a-project.ts'
import { awayFromMidnight } from '../../support/away-from-midnight.ts'
import {
  ask,
  createRecord,
  createTask,
  ids,
  idsOf as idsIn,
  rowsOf,
  shareTasks,
  users,
} from './a-task-project.ts'

shareTasks()

const read = async (query: string, as: string = users.assignee) =>
  (await ask('GET', `/api/tasks${query}`, { as })).json(200)
const idsOf = async (query: string, as?: string) => idsIn((await read(query, as)).data)

/** An instant on a day relative to today in a time zone, as the service accepts it. */
const at = (days: number, hour: number, zone = 'Europe/Zagreb') =>
  Temporal.Now.plainDateISO(zone)
    .add({ days })
    .toZonedDateTime({ timeZone: zone, plainTime: { hour } })
    .toInstant()
    .toString({ smallestUnit: 'millisecond' })

test('tasks are listed by status, soonest due first, and the counters match the lists', async () => {
  await awayFromMidnight('Europe/Zagreb')
  const record = await createRecord()
  const assigne_id = ids.assignee
  const make = (more: object) => createTask(record, { assigne_id, ...more })
  const [late, soon, later, none] = [
    await make({ due_date: at(-3, 9) }),
    await make({ due_date: at(1, 0) }),
    await make({ due_date: at(40, 9) }),
    await make({}),
  ]
  const today = await make({ due_date: at(0, 0) })
  const done = await make({ due_date: at(-3, 9), is_completed: true })
  await createTask(record, { assigne_id: ids.worker })
  for (const [query, ...expected] of [
    ['', late, today, soon, later, none],
    ['?status=open&assignee=me', late, today, soon, later, none],
    ['?status=overdue', late, today],
    ['?status=today', today],
    ['?status=upcoming', soon, later],
    ['?status=completed', done],
    ['?limit=2&page=2', soon, later],
    ['?entity=user'],
  ] as const)
    assert.deepEqual(await idsOf(query), expected, query)
  const counts = { open: 5, overdue: 2, today: 1, upcoming: 2, completed: 1 }
  assert.deepEqual(await read('/count'), counts)
  const nothing = { open: 0, overdue: 0, today: 0, upcoming: 0, completed: 0 }
  assert.deepEqual(await read('/count?entity=user'), nothing)
})

test('the status "today" uses the requested time zone', async () => {
  const record = await createRecord()
  const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago']
  const due = new Map<number, string>()
  for (const zone of zones) {
    await awayFromMidnight(zone)
    for (const [days, hour] of [
      [-1, 23],
      [0, 0],
      [0, 23],
      [1, 0],
    ] as const) {
      const due_date = at(days, hour, zone)
      due.set(await createTask(record, { assigne_id: ids.early, due_date }), due_date)
    }
  }
  for (const zone of zones) {
    const [start, end] = [at(0, 0, zone), at(1, 0, zone)]
    const expected = [...due].filter(([, moment]) => moment >= start && moment < end)
    const shown = await idsOf(`?status=today&timeZone=${zone}`, users.early)
    assert.deepEqual(shown.sort(), expected.map(([id]) => id).sort(), zone)
  }
})

test('tasks of another user are listed for records whose tasks the caller may read', async () => {
  const [theirs, another] = [await createRecord('matter', users.owner), await createRecord()]
  const assigne_id = ids.busy
  const [a, b] = [
    await createTask(theirs, { assigne_id }),
    await createTask(another, { assigne_id }),
  ]
  const of = `?assignee=${assigne_id}`
  assert.deepEqual(await idsOf(of, users.worker), [a, b])
  assert.deepEqual(await idsOf(of, users.owner), [a])
  assert.deepEqual(await idsOf(of, users.reader), [])
  assert.deepEqual(await idsOf(of, users.nonreader), [])
  assert.deepEqual(await idsOf('', users.busy), [a, b])
  assert.deepEqual((await read(`/count${of}`, users.owner)).open, 1)
  assert.deepEqual(await idsOf('?assignee=99999999999', users.worker), [])
})

test('a due date and a completion that the role hides decide neither place nor status', async () => {
  const record = await createRecord()
  const assigne_id = ids.undated
  const tasks: number[] = []
  for (const more of [{ due_date: at(40, 9) }, { due_date: at(-3, 9), is_completed: true }])
    tasks.push(await createTask(record, { assigne_id, ...more }))
  for (const query of ['', `?assignee=${assigne_id}&status=open`])
    assert.deepEqual(await idsOf(query, users.undated), tasks)
  for (const status of ['overdue', 'today', 'upcoming', 'completed'])
    assert.deepEqual(await idsOf(`?status=${status}`, users.undated), [], status)
  const counts = { open: 2, overdue: 0, today: 0, upcoming: 0, completed: 0 }
  assert.deepEqual(await read('/count', users.undated), counts)
  const listed = await ask('GET', `/matter/${record}/task`, { as: users.undated })
  assert.deepEqual(idsIn(listed.json(200)), tasks)
  assert.deepEqual(await idsOf(`?assignee=${assigne_id}&status=upcoming`, users.worker), [tasks[0]])
})

test('a parameter that is wrong is named', async () => {
  for (const [query, name] of [
    ['?assignee=anna', 'assignee'],
    ['?assignee=0', 'assignee'],
    ['?timeZone=Mars/Olympus', 'timeZone'],
    ['/count?status=open', 'status'],
  ] as const) {
    const issues = issuesOf(await ask('GET', `/api/tasks${query}`), 400)
    assert.deepEqual(
      issues.map((text) => text.split(' ')[0]),
      [name],
    )
  }
})

test('the calendar feed can be parsed, replaced and removed, and is closed to blocked users', async () => {
  const record = await createRecord()
  const [as, assigne_id] = [users.subscriber, ids.subscriber]
  const description = 'Call; "them", soon\nŽana 🦊'
  const due_date = '2027-03-04 09:00:00'
  const taskId = await createTask(record, { assigne_id, description, due_date })
  await createTask(record, { assigne_id, description: 'no date' })
  await createTask(record, { assigne_id, due_date, is_completed: true })
  const openedAt = async () => (await ask('GET', '/api/tasks/calendar', { as })).json().created_at
  assert.equal(await openedAt(), null)
  const createFeed = async () => {
    const { pathname, search } = new URL(
      (await ask('POST', '/api/tasks/calendar', { as })).json(201).url,
    )
    return pathname + search
  }
  const open = (path: string) => ask('GET', path, { as: null })
  const feed = await createFeed()
  assert.ok(!Number.isNaN(Date.parse(await openedAt())))
  const reply = await open(feed)
  assert.equal(reply.status, 200)
  assert.equal(reply.headers.get('content-type'), 'text/calendar; charset=utf-8')
  const parsed = Object.values(ical.sync.parseICS(reply.text))
  const [event, ...others] = parsed.filter((one) => one?.type === 'VEVENT')
  assert.deepEqual(others, [])
  assert.partialDeepStrictEqual(event, {
    uid: `task-${taskId}@docket`,
    summary: 'Call; "them", soon',
  })
  const shown = event as unknown as { start: Date; description: string }
  assert.equal(shown.start.toISOString(), '2027-03-04T08:00:00.000Z')
  assert.ok(shown.description.startsWith(description), shown.description)
  const next = await createFeed()
  assert.equal((await open(feed)).status, 404)
  assert.equal((await open(next)).status, 200)
  const set = (change: string) =>
    rowsOf(`UPDATE records."user" SET ${change} WHERE id = $1`, [assigne_id])
  await set('is_blocked = true')
  assert.equal((await open(next)).status, 404)
  await set('is_blocked = false')
  assert.equal((await ask('DELETE', '/api/tasks/calendar', { as })).status, 204)
  assert.equal((await open(next)).json().code, 'task.feed-unknown')
  assert.equal((await open('/api/tasks/calendar.ics')).status, 404)
})
