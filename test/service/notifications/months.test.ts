/** Notifications are stored in months: a table that exists becomes the first one as it is, and months are made ahead. */
import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { migrate } from '../../../src/database/migrate.ts'
import type { Pool } from '../../../src/database/pool.ts'
import { keepMonthsAhead } from '../../../src/notifications/months/keep-months.ts'
import { listOwnMonths, monthAfter } from '../../../src/notifications/months/months.ts'
import { createTestDatabase } from '../../support/database.ts'
import { notifyUsers, startInbox } from '../../support/notifications/an-inbox.ts'
import { createStoreDatabase } from './a-store-database.ts'
import { assertCounted, boundsOf, daysAgo, divideAt } from './some-months.ts'

/** Brings a database to where it was before the months. */
const migrateBefore = async (pool: Pool) => {
  const migrations = new URL('../../../src/database/migrations/', import.meta.url)
  const directory = await mkdtemp(join(tmpdir(), 'docket-test-'))
  for (const name of await readdir(migrations))
    if (Number(name.slice(0, 4)) < 38) await cp(new URL(name, migrations), join(directory, name))
  await migrate(pool, pathToFileURL(`${directory}/`))
  await rm(directory, { recursive: true })
}

const rowsOf = async (pool: Pool) => {
  const { rows } = await pool.query<{ _id: string; user_id: number }>(
    'SELECT _id, timestamp, user_id, seen, content FROM docket.notification ORDER BY user_id, timestamp',
  )
  return rows
}
/** How many notifications each month has, oldest first. */
const countsOf = async (pool: Pool, condition = 'true'): Promise<number[]> => {
  const { rows } = await pool.query(
    `SELECT count(*)::integer AS count FROM docket.notification WHERE ${condition} GROUP BY tableoid ORDER BY min(_id::text)`,
  )
  return rows.map(({ count }) => count)
}

const dayMs = 86_400_000
const hour = 3_600_000

test('a filled table becomes the first month as it is, for the same roles, beside statements of the version before', async () => {
  const database = await createTestDatabase()
  const { pool } = database
  await migrateBefore(pool)
  const role = 'test_uses_notifications'
  await pool.query(
    `DO $$ BEGIN CREATE ROLE ${role}; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
     GRANT SELECT, INSERT ON docket.notification TO ${role} WITH GRANT OPTION;
     INSERT INTO docket.notification (_id, user_id, entity_key, entity_id, content, timestamp, seen)
     SELECT docket.notification_id(at, i::text, '0', u), u, 'order', i, json_build_object('icon', 'bell', 'title', i::text,
       'message', '', 'url', NULL, 'due_at', NULL), at, i % 3 = 0
     FROM generate_series(1, 3) u, generate_series(1, 400) i,
       LATERAL (SELECT date_trunc('milliseconds', now() - interval '1 day' * i) AS at) w;
     INSERT INTO docket.notification_count (user_id, total, unseen, last_at)
     SELECT user_id, count(*), count(*) FILTER (WHERE NOT seen), max(timestamp) FROM docket.notification GROUP BY 1`,
  )
  const rows = await rowsOf(pool)
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
  const listed = async () => {
    const text =
      'SELECT * FROM docket.notification WHERE user_id = $1 ORDER BY timestamp DESC LIMIT 2'
    return (await earlier.query({ name: 'list', text, values: [2] })).rows
  }
  const before = await listed()
  const inbox = await startInbox(database)
  const get = async (path: string) => (await inbox.ask('GET', `/api/notifications${path}`)).json()
  try {
    assert.deepEqual(await files(), [file], 'no row is copied')
    assert.deepEqual(await rowsOf(pool), rows)
    const own = rows.filter((row) => row.user_id === 1).reverse()
    assert.deepEqual(
      (await get('?limit=100&skip=150')).map(({ _id }: { _id: string }) => _id),
      own.slice(150, 250).map(({ _id }) => _id),
    )
    assert.deepEqual(await get('/count?status=unseen'), { count: 267 })
    assert.deepEqual(await listed(), before)
    const stored = await earlier.query(
      `INSERT INTO docket.notification (_id, timestamp, user_id, entity_id, entity_key, content)
       VALUES (docket.notification_id(now(), 'by the version before', '0', 2), now(), 2, 1, 'order', '{}')`,
    )
    assert.equal(stored.rowCount, 1)
    const removed = `DELETE FROM docket.notification WHERE user_id = 2 AND timestamp > now() - interval '1 hour'`
    assert.equal((await earlier.query(removed)).rowCount, 1)
    await keepMonthsAhead(pool)
    await migrate(pool)
    assert.deepEqual(await rowsOf(pool), rows)
    assert.deepEqual(await listed(), before)
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
    await inbox.stop()
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
  const ahead = new Date(monthAfter(Date.now(), 4) + hour).toISOString()
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
