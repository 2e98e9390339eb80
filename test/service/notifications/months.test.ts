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

const rowsOf = (pool: Pool) =>
  pool.query(
    'SELECT _id, timestamp, user_id, seen, content FROM docket.notification ORDER BY user_id, timestamp',
  )

const dayMs = 86_400_000
const hour = 3_600_000

test('a filled table becomes the first month as it is, beside statements of the version before', async () => {
  const database = await createTestDatabase()
  const { pool } = database
  await migrateBefore(pool)
  await pool.query(
    `INSERT INTO docket.notification (_id, user_id, entity_key, entity_id, content, timestamp, seen)
     SELECT docket.notification_id(at, i::text, '0', u), u, 'order', i, json_build_object('icon', 'bell', 'title', i::text,
       'message', '', 'url', NULL, 'due_at', NULL), at, i % 3 = 0
     FROM generate_series(1, 3) u, generate_series(1, 400) i,
       LATERAL (SELECT date_trunc('milliseconds', now() - interval '1 day' * i) AS at) w`,
  )
  await pool.query(
    `INSERT INTO docket.notification_count (user_id, total, unseen, last_at)
     SELECT user_id, count(*), count(*) FILTER (WHERE NOT seen), max(timestamp) FROM docket.notification GROUP BY 1`,
  )
  const before = await rowsOf(pool)
  const file = `SELECT relfilenode FROM pg_class WHERE relname LIKE 'notification%' AND relkind = 'r'
    AND relname <> 'notification_count'`
  const { rows: files } = await pool.query(file)
  const earlier = await pool.connect()
  const list = {
    name: 'list',
    text: 'SELECT * FROM docket.notification WHERE user_id = $1 ORDER BY timestamp DESC LIMIT 2',
    values: [2],
  }
  const listed = (await earlier.query(list)).rows
  const inbox = await startInbox(database)
  try {
    assert.deepEqual((await pool.query(file)).rows, files, 'no row is copied')
    assert.deepEqual((await rowsOf(pool)).rows, before.rows)
    const page = await (await inbox.ask('GET', '/api/notifications?limit=100&skip=150')).json()
    const own = before.rows.filter((row) => row.user_id === 1).reverse()
    assert.deepEqual(
      page.map(({ _id }: { _id: string }) => _id),
      own.slice(150, 250).map(({ _id }) => _id),
    )
    const count = await inbox.ask('GET', '/api/notifications/count?status=unseen')
    assert.deepEqual(await count.json(), { count: 267 })
    assert.deepEqual((await earlier.query(list)).rows, listed)
    const stored = await earlier.query(
      `INSERT INTO docket.notification (_id, timestamp, user_id, entity_id, entity_key, content)
       VALUES (docket.notification_id(now(), 'by the version before', '0', 2), now(), 2, 1, 'order', '{}')`,
    )
    assert.equal(stored.rowCount, 1)
    const removed = `DELETE FROM docket.notification WHERE user_id = 2 AND timestamp > now() - interval '1 hour'`
    assert.equal((await earlier.query(removed)).rowCount, 1)
    await keepMonthsAhead(pool)
    await migrate(pool)
    assert.deepEqual((await rowsOf(pool)).rows, before.rows)
    assert.deepEqual((await earlier.query(list)).rows, listed)
    const [same] = files
    const kept = (await pool.query(file)).rows.some(
      ({ relfilenode }) => relfilenode === same?.relfilenode,
    )
    assert.ok(kept, 'no row is copied')
    await assertCounted(pool)
  } finally {
    earlier.release(true)
    await inbox.stop()
  }
})

test('whoever may use the table before may use it afterwards', async () => {
  const database = await createTestDatabase()
  const { pool } = database
  const role = 'test_uses_notifications'
  await pool.query(
    `DO $$ BEGIN CREATE ROLE ${role}; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
  )
  await migrateBefore(pool)
  await pool.query(`GRANT SELECT, INSERT ON docket.notification TO ${role} WITH GRANT OPTION`)
  await migrate(pool)
  const { rows } = await pool.query(
    `SELECT has_table_privilege('${role}', 'docket.notification', 'SELECT WITH GRANT OPTION') AS reads,
       has_table_privilege('${role}', 'docket.notification', 'INSERT') AS writes,
       has_table_privilege('${role}', 'docket.notification', 'DELETE') AS removes`,
  )
  await pool.query(`DROP OWNED BY ${role}`)
  await database.drop()
  assert.deepEqual(rows, [{ reads: true, writes: true, removes: false }])
})

test('months are made ahead, by several processes at once, and each event is stored in its own', async () => {
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
  for (const [index, at] of times.entries())
    assert.equal(await notifyUsers(pool, [1, 2], { at, id: `e${index}` }), 2)
  for (const [index, at] of times.entries())
    assert.equal(await notifyUsers(pool, [1, 2], { at, id: `e${index}` }), 0, 'nothing twice')
  const { rows } = await pool.query(
    `SELECT count(*)::integer AS count FROM docket.notification WHERE user_id = 1 GROUP BY tableoid ORDER BY min(_id::text)`,
  )
  assert.equal(
    rows.reduce((sum, { count }) => sum + count, 0),
    5,
  )
  assert.deepEqual([rows[0]?.count, rows.at(-1)?.count], [1, 2])
  await assertCounted(pool)
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
  const { rows } = await pool.query(
    'SELECT count(*)::integer AS count FROM docket.notification GROUP BY tableoid ORDER BY min(_id::text)',
  )
  assert.deepEqual(rows, [{ count: 1 }, { count: 4 }])
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

test('each month has the indexes of the first one', async () => {
  const database = await createStoreDatabase()
  const { pool } = database
  await keepMonthsAhead(pool)
  const { rows } = await pool.query(
    `SELECT string_agg(regexp_replace(pg_get_indexdef(x.indexrelid), 'INDEX .* USING', ''), ';' ORDER BY pg_get_expr(x.indpred, x.indrelid), x.indisprimary) AS indexes
     FROM pg_inherits i JOIN pg_index x ON x.indrelid = i.inhrelid
     WHERE i.inhparent = 'docket.notification'::regclass GROUP BY i.inhrelid`,
  )
  assert.equal(new Set(rows.map(({ indexes }) => indexes)).size, 1)
  assert.match(rows[0]?.indexes, /UNIQUE.*\(user_id, "timestamp"\)/)
  await database.drop()
})
