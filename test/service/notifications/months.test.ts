/**
 * Notifications are stored in months: a table that exists becomes the first one as it is, months are made ahead, and those that
 * are old as a whole are dropped, while others list, count, mark and store.
 */
import assert from 'node:assert/strict'
import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { migrate } from '../../../src/database/migrate.ts'
import { createPool, type Pool } from '../../../src/database/pool.ts'
import { markNotifications } from '../../../src/inbox/mark-notifications.ts'
import { keepMonthsAhead, listOwnMonths, monthAfter } from '../../../src/inbox/months.ts'
import { removeOldNotifications } from '../../../src/inbox/retention.ts'
import { createTestDatabase } from '../../support/database.ts'
import {
  afterRollOut,
  type Inbox,
  notifyUsers,
  startInbox,
} from '../../support/notifications/an-inbox.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/wait.ts'
import { createStoreDatabase } from './a-store-database.ts'
import { assertCounted, boundsOf, daysAgo, divideAt, tell, undivide } from './some-months.ts'

const dayMs = 86_400_000

/** Brings a database to where it was before the months. */
const migrateBefore = async (pool: Pool) => {
  const migrations = new URL('../../../src/database/migrations/', import.meta.url)
  const directory = temporaryFolder()
  for (const name of await readdir(migrations))
    if (Number(name.slice(0, 4)) < 38) await cp(new URL(name, migrations), join(directory, name))
  await migrate(pool, pathToFileURL(`${directory}/`))
}

/** How many notifications each month has, oldest first. */
const countsOf = async (pool: Pool, condition = 'true'): Promise<number[]> => {
  const { rows } = await pool.query(
    `SELECT count(*)::integer AS count FROM docket.notification WHERE ${condition} GROUP BY tableoid ORDER BY min(_id::text)`,
  )
  return rows.map(({ count }) => count)
}

test('a filled table becomes the first month as it is, for the same roles, while statements of the version before run', async () => {
  const database = await createTestDatabase()
  const { pool } = database
  await migrateBefore(pool)
  const role = 'test_uses_notifications'
  await pool.query(
    `DO $$ BEGIN CREATE ROLE ${role}; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
     GRANT SELECT, INSERT ON docket.notification TO ${role} WITH GRANT OPTION;
     INSERT INTO docket.notification (_id, user_id, entity_key, entity_id, content, timestamp)
     SELECT docket.notification_id(at, i::text, '0', u), u, 'order', i, '{"title":"","due_at":null}', at
     FROM generate_series(1, 3) u, generate_series(1, 400) i,
       LATERAL (SELECT date_trunc('milliseconds', now() - interval '1 day' * i) AS at) w;
     INSERT INTO docket.notification_count (user_id, total, unseen, last_at)
     SELECT user_id, count(*), count(*), max(timestamp) FROM docket.notification GROUP BY 1`,
  )
  const columns = '_id, timestamp, user_id, entity_id, entity_key, content, seen, seen_at'
  const rowsOf = async () =>
    (await pool.query(`SELECT ${columns} FROM docket.notification ORDER BY user_id, timestamp`))
      .rows
  const rows = await rowsOf()
  const files = async (): Promise<number[]> => {
    const { rows: found } = await pool.query(
      `SELECT relfilenode AS file FROM pg_class WHERE relname LIKE 'notification%' AND relkind = 'r'
         AND relname <> 'notification_count'`,
    )
    return found.map(({ file }) => file)
  }
  const [file = 0, ...others] = await files()
  assert.deepEqual(others, [])
  const earlier = await pool.connect()
  const text = `SELECT ${columns} FROM docket.notification WHERE user_id = $1 ORDER BY timestamp DESC LIMIT 2`
  const listed = async () => (await earlier.query({ name: 'list', text, values: [2] })).rows
  const before = await listed()
  try {
    await migrate(pool)
    assert.deepEqual(await files(), [file], 'no row is copied')
    assert.deepEqual(await rowsOf(), rows)
    const stored = await earlier.query(
      `INSERT INTO docket.notification (_id, timestamp, user_id, entity_id, entity_key, content)
       VALUES (docket.notification_id(now(), 'by the version before', '0', 2), now(), 2, 1, 'order', '{}')`,
    )
    assert.equal(stored.rowCount, 1)
    const removed = `DELETE FROM docket.notification WHERE user_id = 2 AND timestamp > now() - interval '1 hour'`
    assert.equal((await earlier.query(removed)).rowCount, 1)
    await keepMonthsAhead(pool)
    assert.deepEqual([await rowsOf(), await listed()], [rows, before])
    assert.ok((await files()).includes(file), 'no row is copied')
    await assertCounted(pool)
    const { rows: rights } = await pool.query(
      `SELECT has_table_privilege('${role}', 'docket.notification', 'SELECT WITH GRANT OPTION') AS reads,
         has_table_privilege('${role}', 'docket.notification', 'INSERT') AS writes,
         has_table_privilege('${role}', 'docket.notification', 'DELETE') AS removes`,
    )
    assert.deepEqual(rights, [{ reads: true, writes: true, removes: false }])
  } finally {
    await pool.query(`DROP OWNED BY ${role}`)
    earlier.release(true)
    await database.drop()
  }
})

test('months are made ahead, by several processes at once, with the same indexes, and each event is stored in its own', async () => {
  const database = await createStoreDatabase()
  const { pool } = database
  await Promise.all([1, 2, 3].map(() => keepMonthsAhead(pool)))
  const bounds = await boundsOf(pool)
  const now = Date.now()
  const [[, first = ''] = []] = bounds
  assert.ok(Date.parse(first) > now + 7 * dayMs, 'what is open until now ends a week ahead')
  const starts = [0, 1, 2, 3].map((months) => monthAfter(now, months + 1))
  const isoStarts = starts.map((time) => new Date(time).toISOString())
  const expected = isoStarts.slice(isoStarts.indexOf(first), 3)
  assert.deepEqual(bounds, [
    [undefined, first],
    ...expected.map((from, index) => [from, expected[index + 1]]),
  ])
  await keepMonthsAhead(pool)
  assert.deepEqual(await boundsOf(pool), bounds, 'a second time changes nothing')
  const last = Date.parse(bounds.at(-1)?.[0] ?? '')
  const times = [
    daysAgo(500),
    first,
    ...[-1, 0, 400 * dayMs].map((ms) => new Date(last + ms).toISOString()),
  ]
  // The second time nothing is stored.
  for (const stored of [2, 0])
    for (const [index, at] of times.entries())
      assert.equal(await notifyUsers(pool, [1, 2], { at, id: `e${index}` }), stored)
  const counts = await countsOf(pool, 'user_id = 1')
  assert.deepEqual(
    [counts[0], counts.at(-1), counts.reduce((sum, count) => sum + count, 0)],
    [1, 2, 5],
  )
  await assertCounted(pool)
  const { rows } = await pool.query(
    `SELECT string_agg(regexp_replace(pg_get_indexdef(x.indexrelid), 'INDEX .* USING', ''), ';' ORDER BY pg_get_expr(x.indpred, x.indrelid), x.indisprimary) AS indexes
     FROM pg_inherits i JOIN pg_index x ON x.indrelid = i.inhrelid
     WHERE i.inhparent = 'docket.notification'::regclass GROUP BY i.inhrelid`,
  )
  assert.equal(new Set(rows.map(({ indexes }) => indexes)).size, 1, 'the indexes are the same')
  assert.match(rows[0]?.indexes, /UNIQUE.*\(user_id, "timestamp"\)/)
  await database.drop()
})

test('a month that nobody made is missing to nobody: the last one takes its events and ends after them', async () => {
  const database = await createStoreDatabase()
  const { pool } = database
  await divideAt(pool, [daysAgo(200)])
  const ahead = new Date(monthAfter(Date.now(), 4) + 3_600_000).toISOString()
  for (const at of [daysAgo(201), daysAgo(199), daysAgo(100), daysAgo(0), ahead])
    assert.equal(await notifyUsers(pool, [1], { at }), 1)
  await keepMonthsAhead(pool)
  const bounds = await boundsOf(pool)
  assert.equal(bounds.length, 3)
  assert.deepEqual(bounds[2], [new Date(monthAfter(Date.now(), 5)).toISOString(), undefined])
  assert.deepEqual(await countsOf(pool), [1, 4])
  await assertCounted(pool)
  await database.drop()
})

test('what a process that was killed has begun is completed by the next one', async () => {
  const database = await createStoreDatabase()
  const { pool } = database
  const end = '01ffffff-0000-0000-0000-000000000000'
  await pool.query(
    `ALTER TABLE docket.notification_earlier ADD CONSTRAINT notification_end CHECK (_id < '${end}') NOT VALID`,
  )
  await keepMonthsAhead(pool)
  const months = await listOwnMonths(pool)
  assert.equal(months.length, 2)
  assert.equal(months[0]?.until, 0x01ffffff0000)
  const { rowCount } = await pool.query(
    `SELECT FROM pg_constraint WHERE conname = 'notification_end'`,
  )
  assert.equal(rowCount, 0)
  await database.drop()
})

describe('months that are old', () => {
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

  test('marks and stores while months are dropped leave exact counters, and none of them fails', async () => {
    await afterRollOut(pool)
    const users = Array.from({ length: 100 }, (_, index) => 1000 + index)
    for (const days of [500, 420, 390, 100])
      await tell(pool, { users, at: daysAgo(days), count: 4 })
    let isRemoving = true
    let marked = 0
    const work = async (worker: number) => {
      for (let count = 0; isRemoving || count < 20; count++) {
        const userId = users[(worker * 25 + count * 7) % users.length] ?? 0
        const status = count % 2 === 0 ? 'seen' : 'unseen'
        const all = { ids: [], status, after: '2000-01-01T00:00:00Z', before: undefined } as const
        marked += (await markNotifications(pool, userId, all)).marked
        await notifyUsers(pool, [userId], { at: daysAgo(0) })
      }
    }
    const others = [0, 1, 2, 3].map(work)
    const removed = await Promise.all([remove(), remove(), remove()])
    isRemoving = false
    await Promise.all(others)
    assert.equal(removed[0] + removed[1] + removed[2], 100 * 12)
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
})
