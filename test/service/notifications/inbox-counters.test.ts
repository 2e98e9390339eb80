/** The counters are exact while notifications are stored, marked and removed concurrently. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { markNotifications } from '../../../src/notifications/inbox/mark-notifications.ts'
import type { TestDatabase } from '../../support/database.ts'
import { afterRollOut, notifyUsers } from '../../support/notifications/an-inbox.ts'
import { assertExactCounters, recount } from '../../support/notifications/counter-steps.ts'
import { shareStoreDatabase } from './a-store-database.ts'

let database: TestDatabase
before(async () => {
  database = await shareStoreDatabase()
  await afterRollOut(database.pool)
})

test('counters equal a recount after any concurrent steps', () =>
  assertExactCounters(database.pool, 6))

test('no user has notifications without counters', async () => {
  const { rowCount } = await database.pool.query(
    `SELECT FROM docket.notification n WHERE NOT EXISTS
     (SELECT FROM docket.notification_count c WHERE c.user_id = n.user_id)`,
  )
  assert.equal(rowCount, 0)
})

test('marking up to a time does not change notifications that are stored concurrently', async () => {
  const { pool } = database
  const userId = 77
  await notifyUsers(pool, [userId])
  const { rows } = await pool.query(
    `SELECT to_char(last_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at FROM docket.notification_count WHERE user_id = $1`,
    [userId],
  )
  const latest = String(rows[0]?.at)
  const storing = Array.from({ length: 30 }, () => notifyUsers(pool, [userId]))
  const markUpTo = { ids: [], status: 'seen', after: undefined, before: latest } as const
  const marking = Array.from({ length: 10 }, () => markNotifications(pool, userId, markUpTo))
  await Promise.all(storing)
  const marked = await Promise.all(marking)
  assert.equal(
    marked.reduce((sum, one) => sum + one.marked, 0),
    1,
  )
  const [counted] = (await recount(pool)).filter((one) => one.user_id === userId)
  assert.deepEqual(counted, { user_id: userId, total: 31, unseen: 30, rows: 31, unseenRows: 30 })
})
