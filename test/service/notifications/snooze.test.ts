/** Notifications that a user puts away until a time: they come back unread, and a snooze is taken back with what was as it was. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { Compile } from 'typebox/schema'
import { storedNotification } from '../../../src/inbox/inbox-endpoints.ts'
import { returnSnoozed } from '../../../src/inbox/snooze.ts'
import { invalidPaths } from '../../support/a-project.ts'
import { openReader } from '../../support/notifications/a-stream-reader.ts'
import { newUser, notifyUsers, shareInbox } from '../../support/notifications/an-inbox.ts'
import { until } from '../../support/wait.ts'

const inbox = await shareInbox()
let user: Awaited<ReturnType<typeof newUser>>

const mark = (body: object) => inbox.mark(user.name, body)
const list = () => inbox.list(user.name, '?sortOrder=asc')
/** The counts of all, of seen and of unseen notifications. */
const counts = () =>
  Promise.all(['all', 'seen', 'unseen'].map((one) => inbox.count(user.name, one)))

const inAWeek = () => new Date(Date.now() + 7 * 86_400_000).toISOString()
const snooze = (given: readonly unknown[], moment: unknown, name = user.name) =>
  inbox.ask('PUT', '/api/notifications/snooze', {
    as: `${name}@example.com`,
    body: { ids: given, until: moment },
  })
const snoozed = async (...given: Parameters<typeof snooze>) =>
  (await snooze(...given)).json(200).count
const idsOf = async (status: string) =>
  (await inbox.list(user.name, `?status=${status}&sortOrder=asc`)).map(({ _id }) => _id)
let ids: string[]
beforeEach(async () => {
  user = await newUser(inbox)
  for (let index = 0; index < 3; index++) await notifyUsers(inbox.database.pool, [user.id])
  ids = await idsOf('all')
  await mark({ ids: [ids[0]], status: 'seen' })
})

test('a snooze puts notifications away until its time, when they are unread, the latest, and pushed', async () => {
  const reader = await openReader(inbox.url, await inbox.tokenOf(`${user.name}@example.com`))
  try {
    await until('the stream has begun', () => reader.counts().length === 1)
    const { pool } = inbox.database
    const [first, second, third] = ids
    const moment = inAWeek()
    assert.equal(await snoozed([first, second], moment), 2)
    assert.deepEqual(await counts(), [1, 0, 1])
    assert.deepEqual([await idsOf('all'), await idsOf('unseen')], [[third], [third]])
    const away = await inbox.list(user.name, '?status=snoozed&sortOrder=asc')
    assert.deepEqual(
      away.map((one) => [one._id, one.snoozed_until]),
      [
        [first, moment],
        [second, moment],
      ],
    )
    assert.deepEqual(Compile(storedNotification).Errors(away[0])[1], [])
    assert.equal(await mark({ ids: [], after: '2000-01-01 00:00:00', status: 'seen' }), 1)
    await returnSnoozed(pool)
    assert.deepEqual(await idsOf('all'), [third])
    await pool.query(`UPDATE docket.snooze SET until = now() WHERE user_id = $1`, [user.id])
    await Promise.all([returnSnoozed(pool), returnSnoozed(pool)])
    const back = await list()
    assert.deepEqual(
      back.map((one) => [one._id, one.seen]),
      [
        [third, true],
        [first, false],
        [second, false],
      ],
    )
    assert.deepEqual(await counts(), [3, 1, 2])
    await until('they are pushed', () => reader.notifications().length === 2)
    assert.deepEqual(reader.notifications(), back.slice(1))
    await until('the count is pushed', () => reader.counts().at(-1) === 2)
  } finally {
    reader.close()
  }
})

test('a snooze is moved, and taken back with what was as it was', async () => {
  const before = await list()
  assert.equal(await snoozed(ids, inAWeek()), 3)
  const later = new Date(Date.now() + 86_400_000).toISOString()
  assert.equal(await snoozed([ids[0]], later), 1)
  assert.deepEqual(await counts(), [0, 0, 0])
  const [first] = await inbox.list(user.name, '?status=snoozed&sortOrder=asc')
  assert.equal(first?.snoozed_until, later)
  assert.equal(await snoozed(ids, null), 3)
  assert.deepEqual([await list(), await counts()], [before, [3, 1, 2]])
  assert.equal(await snoozed(ids, null), 0)
})

test('a snooze brings nothing back that has become too old to be kept', async () => {
  const { pool } = inbox.database
  const [first, ...kept] = ids
  assert.equal(await snoozed([first], inAWeek()), 1)
  await pool.query(
    `UPDATE docket.notification_count c SET kept_from = n.timestamp
     FROM docket.notification n WHERE n._id = $1 AND c.user_id = n.user_id`,
    [kept[0]],
  )
  await pool.query('UPDATE docket.snooze SET until = now() WHERE user_id = $1', [user.id])
  await returnSnoozed(pool)
  assert.deepEqual([await idsOf('all'), await counts()], [kept, [2, 0, 2]])
})

test('a snooze leaves what belongs to others, and what is no id', async () => {
  const other = await newUser(inbox)
  assert.equal(await snoozed(ids, inAWeek(), other.name), 0)
  assert.equal(await snoozed([randomUUID(), 'nonsense', ids[1]?.toUpperCase()], inAWeek()), 1)
  assert.equal(await snoozed(ids, null, other.name), 0)
  assert.deepEqual(await idsOf('snoozed'), [ids[1]])
})

for (const [what, given, path] of [
  ['a time that is over', '2020-01-01 08:00:00', 'until'],
  ['a time of another year', '2999-01-01 08:00:00', 'until'],
  ['no time', 'tomorrow', 'until'],
  ['no text', 7, 'until'],
  ['none at all', undefined, 'until'],
] as const)
  test(`a snooze until ${what} is refused`, async () => {
    assert.deepEqual(invalidPaths(await snooze(ids, given), 400), [path])
    assert.deepEqual(await idsOf('snoozed'), [])
  })

test('a snooze of none, or of too many, is refused', async () => {
  for (const given of [[], Array.from({ length: 1_001 }, () => randomUUID())])
    assert.deepEqual(invalidPaths(await snooze(given, inAWeek()), 400), ['ids'])
})
