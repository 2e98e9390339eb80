/**
 * Connections: prepared plans stay suitable as tables grow, no quick statement waits for ever, statements stay prepared that
 * are made from definitions or recur, and COPY, which reads the socket instead of the driver, restores the driver's state.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import driver from 'pg/package.json' with { type: 'json' }
import { copyOut } from '../../../src/database/copy.ts'
import { createPool, queryOnce, queryRows, queryShaped } from '../../../src/database/pool.ts'
import { createTestDatabase } from '../../support/database.ts'
import { until } from '../../support/wait.ts'

const { connectionString, pool, drop } = await createTestDatabase()
const client = new pg.Client({ connectionString, query_timeout: 600_000 })
await client.connect()
after(async () => {
  await client.end()
  await drop()
})

const openQuick = () =>
  createPool({ connectionString, size: 1, work: { kind: 'quick' }, observe: () => undefined })

test('a plan prepared on an empty table uses the index when the table is large', async () => {
  const quick = openQuick()
  await quick.query('CREATE TABLE thing (id integer PRIMARY KEY) WITH (autovacuum_enabled = false)')
  await quick.query('PREPARE find AS SELECT id FROM thing WHERE id = ANY ($1::integer[])')
  await quick.query(`EXECUTE find('{1}')`)
  await quick.query('INSERT INTO thing SELECT generate_series(1, 10000)')
  const { rows } = await quick.query(`EXPLAIN EXECUTE find('{1,2}')`)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  assert.match(plan, /Index Scan (on|using) thing_pkey/)
  assert.match(plan, /\$1/)
  await quick.end()
})

test('a statement that waits for a lock fails after five seconds, and the connection stays usable', async () => {
  const quick = openQuick()
  await pool.query('CREATE TABLE other AS SELECT 1 AS id')
  const holder = await pool.connect()
  await holder.query('BEGIN; UPDATE other SET id = 2')
  await assert.rejects(quick.query('UPDATE other SET id = 3'), { code: '55P03' })
  assert.equal((await quick.query('SELECT FROM other')).rowCount, 1)
  await holder.query('ROLLBACK')
  holder.release()
  await quick.end()
})

const shape = (number: number) => ({ text: `SELECT $1::integer + ${number} AS sum`, values: [1] })

test('a shape is prepared at its third use', async () => {
  const connection = await pool.connect()
  const prepared = async () =>
    (await connection.query('SELECT FROM pg_prepared_statements')).rowCount
  const counts = []
  for (let times = 0; times < 4; times++) {
    assert.deepEqual(await queryShaped(connection, shape(7)), [{ sum: 8 }])
    counts.push(await prepared())
  }
  assert.deepEqual(counts, [0, 0, 1, 1])
  await queryOnce(connection, shape(8))
  assert.equal(await prepared(), 1)
  await queryRows(connection, shape(9))
  assert.equal(await prepared(), 2)
  connection.release(true)
})

test('shapes used once are not prepared, and at most 300 statements stay prepared', async () => {
  const connection = await pool.connect()
  for (let number = 1000; number < 3500; number++) await queryShaped(connection, shape(number))
  const count = async () => {
    const { rowCount } = await connection.query('SELECT FROM pg_prepared_statements')
    return rowCount ?? Number.NaN
  }
  assert.equal(await count(), 0)
  for (let number = 5000; number < 5400; number++)
    for (let times = 0; times < 3; times++) await queryShaped(connection, shape(number))
  const prepared = await count()
  assert.ok(prepared > 200 && prepared <= 300, `${prepared} statements are prepared`)
  connection.release(true)
})

const activeTimers = () =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
const frame = { end: '\n', separator: '' }

const read = async (text: string): Promise<number> => {
  let rows = 0
  for await (const batch of copyOut(client, text, frame)) rows += batch.rows
  return rows
}

test('the driver has the version that copyOut was checked with', () => {
  // Before another version is named here, check that `connection.stream` still has a single listener for `data`
  // and that a query is still an object with `submit` and `handle…` methods.
  assert.equal(driver.version, '8.23.1')
})

test('copyOut leaves no timer behind, neither on success nor on failure', async () => {
  const count = activeTimers()
  assert.equal(await read('COPY (SELECT generate_series(1, 1000)) TO STDOUT'), 1000)
  assert.equal(activeTimers(), count)
  await assert.rejects(read('COPY (SELECT 1 / 0) TO STDOUT'), /division by zero/)
  await client.query('SELECT 1')
  assert.equal(activeTimers(), count)
})

test('the driver reads its socket again after copyOut, also after an error', async () => {
  const { stream } = (client as unknown as { connection: { stream: NodeJS.EventEmitter } })
    .connection
  const readers = stream.listeners('data')
  await read('COPY (SELECT generate_series(1, 10)) TO STDOUT')
  assert.deepEqual(stream.listeners('data'), readers)
  await assert.rejects(read('COPY (SELECT 1 / 0) TO STDOUT'), /division by zero/)
  // The error comes before the end of the query, with which the driver gets its socket back.
  await until('the driver reads its socket', () =>
    isDeepStrictEqual(stream.listeners('data'), readers),
  )
  const { rows } = await client.query<{ n: number }>('SELECT 7 AS n')
  assert.deepEqual(rows, [{ n: 7 }])
})
