/** Tasks of a user: lists by status, counters, tasks of other users, the calendar feed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import ical from 'node-ical'
import { awayFromMidnight } from '../../support/away-from-midnight.ts'
import {
  ask,
  createRecord,
  createTask,
  ids,
  issuesOf,
  service,
  shareTasks,
  users,
} from './a-task-project.ts'

shareTasks()

const read = async (query: string, as: string = users.assignee) => {
  const reply = await ask('GET', `/api/tasks${query}`, { as })
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}
const idsOf = async (query: string, as?: string) =>
  (await read(query, as)).data.map(({ id }: { id: number }) => id)

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
  assert.deepEqual(await idsOf(''), [late, today, soon, later, none])
  assert.deepEqual(await idsOf('?status=open&assignee=me'), [late, today, soon, later, none])
  assert.deepEqual(await idsOf('?status=overdue'), [late, today])
  assert.deepEqual(await idsOf('?status=today'), [today])
  assert.deepEqual(await idsOf('?status=upcoming'), [soon, later])
  assert.deepEqual(await idsOf('?status=completed'), [done])
  assert.deepEqual(await idsOf('?limit=2&page=2'), [soon, later])
  assert.deepEqual(await idsOf('?entity=user'), [])
  assert.deepEqual(await read('/count'), {
    open: 5,
    overdue: 2,
    today: 1,
    upcoming: 2,
    completed: 1,
  })
  assert.deepEqual(await read('/count?entity=user'), {
    open: 0,
    overdue: 0,
    today: 0,
    upcoming: 0,
    completed: 0,
  })
})

test('the status "today" uses the requested time zone', async () => {
  const record = await createRecord()
  const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Zagreb']
  for (const zone of zones) await awayFromMidnight(zone)
  const due = new Map<number, string>()
  for (const zone of zones)
    for (const [days, hour] of [
      [-1, 23],
      [0, 0],
      [0, 23],
      [1, 0],
    ] as const) {
      const due_date = at(days, hour, zone)
      const body = { assigne_id: ids.early, due_date }
      due.set(await createTask(record, body), due_date)
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

for (const [query, name] of [
  ['?assignee=anna', 'assignee'],
  ['?assignee=0', 'assignee'],
  ['?timeZone=Mars/Olympus', 'timeZone'],
  ['/count?status=open', 'status'],
] as const)
  test(`GET /api/tasks${query} returns 400 with the parameter ${name}`, async () => {
    const reply = await ask('GET', `/api/tasks${query}`)
    assert.deepEqual(
      issuesOf(reply, 400).map((text) => text.split(' ')[0]),
      [name],
    )
  })

test('the calendar feed can be parsed, replaced and removed, and is closed to blocked users', async () => {
  const record = await createRecord()
  const assigne_id = ids.subscriber
  const description = 'Call; "them", soon\nŽana 🦊'
  const taskId = await createTask(record, {
    assigne_id,
    description,
    due_date: '2027-03-04 09:00:00',
  })
  await createTask(record, { assigne_id, description: 'no date' })
  await createTask(record, {
    assigne_id,
    due_date: '2027-03-04 09:00:00',
    is_completed: true,
  })
  const openedAt = async () =>
    (await ask('GET', '/api/tasks/calendar', { as: users.subscriber })).json().created_at
  assert.equal(await openedAt(), null)
  const createFeed = async () => {
    const made = await ask('POST', '/api/tasks/calendar', { as: users.subscriber })
    assert.equal(made.status, 201)
    const { pathname, search } = new URL(made.json().url)
    return pathname + search
  }
  const feed = await createFeed()
  assert.ok(!Number.isNaN(Date.parse(await openedAt())))
  const reply = await ask('GET', feed, { as: null })
  assert.equal(reply.status, 200)
  assert.equal(reply.headers.get('content-type'), 'text/calendar; charset=utf-8')
  const events = Object.values(ical.sync.parseICS(reply.text)).filter(
    (one) => one?.type === 'VEVENT',
  )
  assert.equal(events.length, 1)
  const [event] = events as unknown as {
    uid: string
    start: Date
    summary: string
    description: string
  }[]
  assert.equal(event?.uid, `task-${taskId}@docket`)
  assert.equal(event?.start.toISOString(), '2027-03-04T08:00:00.000Z')
  assert.equal(event?.summary, 'Call; "them", soon')
  assert.ok(event?.description.startsWith(description), event?.description)
  const next = await createFeed()
  assert.equal((await ask('GET', feed, { as: null })).status, 404)
  assert.equal((await ask('GET', next, { as: null })).status, 200)
  const setBlocked = (isBlocked: boolean) =>
    service.database.pool.query('UPDATE records."user" SET is_blocked = $1 WHERE id = $2', [
      isBlocked,
      assigne_id,
    ])
  await setBlocked(true)
  assert.equal((await ask('GET', next, { as: null })).status, 404)
  await setBlocked(false)
  assert.equal((await ask('DELETE', '/api/tasks/calendar', { as: users.subscriber })).status, 204)
  assert.equal((await ask('GET', next, { as: null })).json().code, 'task.feed-unknown')
  assert.equal((await ask('GET', '/api/tasks/calendar.ics', { as: null })).status, 404)
})
