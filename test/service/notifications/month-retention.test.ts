/** Lists, counters and marks over months of notifications, before, while and after those that are old as a whole are dropped. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createPool, type Pool } from '../../../src/database/pool.ts'
import { markNotifications } from '../../../src/notifications/inbox/mark-notifications.ts'
import { removeOldNotifications } from '../../../src/notifications/inbox/retention.ts'
import { listOwnMonths } from '../../../src/notifications/months/months.ts'
import {
  afterRollOut,
  type Inbox,
  notifyUsers,
  startInbox,
} from '../../support/notifications/an-inbox.ts'
import { until } from '../../support/wait.ts'
import { assertCounted, daysAgo, divideAt, tell, undivide } from './some-months.ts'

let inbox: Inbox
let pool: Pool
let ana = 0
let bruno = 0
before(async () => {
  inbox = await startInbox()
  pool = inbox.database.pool
  ana = await inbox.addUser('ana')
  bruno = await inbox.addUser('bruno')
})
after(() => inbox.stop())
beforeEach(async () => {
  await undivide(pool)
  await divideAt(pool, [430, 400, 370, 340].map(daysAgo))
})

const config = { NOTIFICATIONS_KEEP_SEEN_DAYS: 365, NOTIFICATIONS_KEEP_DAYS: 365 }

const remove = () => removeOldNotifications(pool, config)

const tablesOf = async () => (await listOwnMonths(pool)).map(({ table }) => table.slice(-6))

const storedRows = async () => (await pool.query('SELECT FROM docket.notification')).rowCount

/** Asserts how many notifications are listed and counted, and how many are unseen. */
const assertLeft = async (name: string, total: number, unseen = total) => {
  const counts = [await inbox.count(name), await inbox.count(name, 'unseen')]
  assert.deepEqual([(await inbox.list(name)).length, ...counts], [total, total, unseen])
}

test('a month that is old as a whole is dropped with its unseen notifications; the others keep theirs', async () => {
  await afterRollOut(pool)
  for (const days of [500, 420, 390])
    await tell(pool, { users: [ana, bruno], at: daysAgo(days), count: 3, seen: days === 420 })
  await tell(pool, { users: [ana], at: daysAgo(366), count: 2 })
  await tell(pool, { users: [ana], at: daysAgo(360), count: 2 })
  assert.equal(await inbox.count('ana'), 13)
  assert.equal(await remove(), 9 + 9 + 2)
  assert.deepEqual(await tablesOf(), ['past_3', 'past_4'])
  await assertLeft('ana', 2)
  await assertLeft('bruno', 0)
  assert.equal(await storedRows(), 4, 'what is removed goes with its month')
  await assertCounted(pool)
  assert.equal(await remove(), 0)
})

test('what is removed but not dropped is not listed, marked, unmarked or counted', async () => {
  await afterRollOut(pool)
  await tell(pool, { users: [ana], at: daysAgo(366), count: 3 })
  await tell(pool, { users: [ana], at: daysAgo(360), count: 2 })
  const all = await inbox.list('ana')
  assert.equal(await remove(), 3)
  assert.equal(await storedRows(), 5)
  for (const query of ['status=unseen', 'sortOrder=asc', 'sortField=_id', 'sortField=entity_id'])
    assert.equal((await inbox.list('ana', `?${query}`)).length, 2, query)
  for (const body of [
    { ids: all.map(({ _id }) => _id), status: 'seen' },
    { ids: [], status: 'unseen', after: '2000-01-01T00:00:00Z' },
    { ids: [], status: 'seen', before: '2100-01-01T00:00:00Z' },
  ])
    assert.equal(await inbox.mark('ana', body), 2)
  await assertLeft('ana', 2, 0)
  await assertCounted(pool)
})

test('nothing is removed as long as processes of the version before may run', async () => {
  await pool.query('UPDATE docket.migration SET applied_at = now()')
  await tell(pool, { users: [ana], at: daysAgo(500) })
  assert.equal(await remove(), 0)
  assert.equal(await inbox.count('ana'), 1)
  assert.equal((await tablesOf()).length, 5)
})

test('a month stays as long as one of its notifications does, and takes no others', async () => {
  await afterRollOut(pool)
  await tell(pool, { users: [ana, bruno], at: daysAgo(420) })
  await tell(pool, { users: [ana], at: daysAgo(420), stored: daysAgo(300) })
  assert.equal(await remove(), 2)
  assert.deepEqual(await tablesOf(), ['past_1', 'past_3', 'past_4'])
  await assertLeft('ana', 1)
  for (const [days, error] of [
    [425, /The event is older than the notifications that are kept/],
    [900, { code: '23514' }],
  ] as const)
    await assert.rejects(notifyUsers(pool, [bruno], { at: daysAgo(days) }), error)
  await assertLeft('bruno', 0)
  await assertCounted(pool)
})

test('marks and stores beside months that are dropped leave exact counters, and none of them fails', async () => {
  await afterRollOut(pool)
  const users = Array.from({ length: 100 }, (_, index) => 1000 + index)
  for (const days of [500, 420, 390, 100]) await tell(pool, { users, at: daysAgo(days), count: 4 })
  let isRemoving = true
  let marked = 0
  const others = Array.from({ length: 4 }, async (_, worker) => {
    for (let count = 0; isRemoving || count < 20; count++) {
      const userId = users[(worker * 25 + count * 7) % users.length] ?? 0
      const status = count % 2 === 0 ? 'seen' : 'unseen'
      const request = { ids: [], status, after: '2000-01-01T00:00:00Z', before: undefined } as const
      marked += (await markNotifications(pool, userId, request)).marked
      await notifyUsers(pool, [userId], { at: daysAgo(0) })
    }
  })
  const removed = await Promise.all([remove(), remove(), remove()])
  isRemoving = false
  await Promise.all(others)
  assert.equal(
    removed.reduce((sum, one) => sum + one, 0),
    100 * 12,
  )
  assert.ok(marked > 0)
  await until('another process has dropped the months', async () => {
    await remove()
    return (await tablesOf()).length === 2
  })
  await assertCounted(pool)
})

test('a reader of the table delays the drop of a month and nobody else', async () => {
  await afterRollOut(pool)
  await tell(pool, { users: [ana], at: daysAgo(420) })
  await tell(pool, { users: [ana], at: daysAgo(10) })
  const reader = await pool.connect()
  await reader.query('BEGIN; SELECT FROM docket.notification')
  const removing = remove()
  await until('the drop waits', async () => {
    const { rowCount } = await pool.query(
      `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
       WHERE l.mode = 'AccessExclusiveLock' AND NOT l.granted`,
    )
    return rowCount === 1
  })
  const all = { ids: [], status: 'seen', after: '2000-01-01T00:00:00Z' }
  assert.equal(await inbox.mark('ana', all), 1)
  assert.equal((await tablesOf()).length, 5)
  await reader.query('COMMIT')
  reader.release()
  assert.equal(await removing, 1)
  assert.equal((await tablesOf()).length, 2)
})

test('a role that does not own the table removes without dropping', async () => {
  await afterRollOut(pool)
  await tell(pool, { users: [ana], at: daysAgo(420) })
  const role = 'test_removes_notifications'
  await pool.query(
    `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
     GRANT USAGE ON SCHEMA docket TO ${role}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA docket TO ${role}`,
  )
  const url = new URL(inbox.database.connectionString)
  url.username = role
  const limited = createPool({ connectionString: url.href, size: 2, observe: () => undefined })
  try {
    assert.equal(await removeOldNotifications(limited, config), 1)
    assert.equal(await inbox.count('ana'), 0)
    assert.equal((await tablesOf()).length, 5)
  } finally {
    await limited.end()
    await pool.query(`DROP OWNED BY ${role}`)
  }
})

test('the newest page is in order also where a notification was stored long after its event', async () => {
  await undivide(pool)
  await divideAt(pool, [400, 300, 200, 100, 60, 30].map(daysAgo))
  for (const days of [5, 3, 350, 250])
    await notifyUsers(pool, [ana], { at: daysAgo(days), title: `${days}` })
  const titlesOf = async (query: string) =>
    (await inbox.list('ana', query)).map(({ content }) => content.title)
  for (const limit of [1, 2, 3, 4])
    assert.deepEqual(await titlesOf(`?limit=${limit}`), ['250', '350', '3', '5'].slice(0, limit))
  assert.deepEqual(await titlesOf('?limit=2&skip=1'), ['350', '3'])
  assert.deepEqual(await titlesOf('?sortOrder=asc'), ['5', '3', '350', '250'])
})
