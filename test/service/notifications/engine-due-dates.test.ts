/** Due dates of notifications: read from templates, and shown relative to now. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { awayFromMidnight } from '../../support/away-from-midnight.ts'
import { about } from '../../support/notifications/an-engine-project.ts'
import { type Engine, startEngine } from './an-engine.ts'

const withDueDate = (topic: string, due_date: string) =>
  about(topic, { userFields: ['approver'] }, { content: { due_date } })

let engine: Engine
before(async () => {
  engine = await startEngine([
    withDueDate('day', '{{ record.needed_by }}'),
    withDueDate('moment', '{{ record.meeting_at }}'),
    withDueDate('text', '{{ record.notes }}'),
  ])
})
after(() => engine.stop())

const dueAtOf = async (topic: string, values: object) => {
  const id = await engine.create({ topic, approver_id: engine.ids.anna, ...values })
  const [notification] = await engine.notificationsAbout(id)
  assert.ok(notification)
  return notification.content.due_at
}

const dueDates: readonly [topic: string, values: object, due_at: string | null][] = [
  // Midnight in Zagreb, with and without daylight saving time.
  ['day', { needed_by: '2026-07-01' }, '2026-06-30T22:00:00.000Z'],
  ['day', { needed_by: '2026-01-01' }, '2025-12-31T23:00:00.000Z'],
  ['day', {}, null],
  ['moment', { meeting_at: '2026-07-01 10:30:00' }, '2026-07-01T08:30:00.000Z'],
  ['moment', { meeting_at: '2026-07-01T10:30:00-05:00' }, '2026-07-01T15:30:00.000Z'],
  ['text', { notes: '2026-07-01 10:30:00' }, '2026-07-01T08:30:00.000Z'],
  ['text', { notes: ' 2026-07-01 ' }, '2026-06-30T22:00:00.000Z'],
  ['text', { notes: '2026-02-30' }, null],
  ['text', { notes: 'tomorrow' }, null],
  ['text', { notes: '12' }, null],
  ['text', { notes: '<b>2026-07-01</b>' }, null],
]
for (const [topic, values, due_at] of dueDates)
  test(`due_date of ${topic} ${JSON.stringify(values)} is ${due_at}`, async () => {
    assert.equal(await dueAtOf(topic, values), due_at)
  })

test('a due date that is no date is logged and explained, and its users are notified', async () => {
  const id = await engine.create({
    ...{ topic: 'text', notes: 'tomorrow', approver_id: engine.ids.anna },
  })
  assert.equal((await engine.notificationsAbout(id)).length, 1)
  const unread = engine.observed('dueDateUnread').filter((one) => one.id === id)
  assert.deepEqual(
    unread.map(({ entity, entry, count }) => [entity, entry, count]),
    [['request', 2, 1]],
  )
  const body = { entityKey: 'request', entityId: id, operation: 'create' }
  const reply = await engine.ask('POST', '/api/notifications/explain', { body })
  const [recipient] = reply.json().entries[2].recipients
  assert.equal(recipient.unread_due_date, 'tomorrow')
  assert.equal(recipient.content.due_date, undefined)
})

test('the list shows a due date relative to now, in the language of the caller', async () => {
  await awayFromMidnight('Europe/Zagreb')
  // At any hour of the day: days are those of the calendar.
  const day = Temporal.Now.plainDateISO('Europe/Zagreb').add({ days: 2 })
  await dueAtOf('text', { notes: `${day} 12:00:00` })
  const listed = async (language: string) => {
    const headers = { 'Accept-Language': language }
    const as = engine.mailOf('anna')
    return (await engine.ask('GET', '/api/notifications?limit=1', { as, headers })).json()[0]
      .content
  }
  assert.equal((await listed('en')).due_date, 'in 2 days')
  assert.equal((await listed('de')).due_date, 'in 2 Tagen')
})
