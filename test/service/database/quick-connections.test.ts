/** Connections of kind `quick`: prepared plans stay suitable as tables grow, and no statement waits for ever. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPool } from '../../../src/database/pool.ts'
import { createTestDatabase } from '../../support/database.ts'

test('a plan prepared on an empty table uses the index when the table is large', async () => {
  const { connectionString, drop } = await createTestDatabase()
  const pool = createPool({
    connectionString,
    size: 1,
    work: { kind: 'quick' },
    observe: () => undefined,
  })
  await pool.query('CREATE TABLE thing (id integer PRIMARY KEY) WITH (autovacuum_enabled = false)')
  await pool.query('PREPARE find AS SELECT id FROM thing WHERE id = ANY ($1::integer[])')
  await pool.query(`EXECUTE find('{1}')`)
  await pool.query('INSERT INTO thing SELECT generate_series(1, 10000)')
  const { rows } = await pool.query(`EXPLAIN EXECUTE find('{1,2}')`)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  assert.match(plan, /Index Scan (on|using) thing_pkey/)
  assert.match(plan, /\$1/)
  await pool.end()
  await drop()
})

test('a statement that waits for a lock fails after five seconds, and the connection stays usable', async () => {
  const { connectionString, pool, drop } = await createTestDatabase()
  const quick = createPool({
    connectionString,
    size: 1,
    work: { kind: 'quick' },
    observe: () => undefined,
  })
  await pool.query('CREATE TABLE thing AS SELECT 1 AS id')
  const holder = await pool.connect()
  await holder.query('BEGIN; UPDATE thing SET id = 2')
  await assert.rejects(quick.query('UPDATE thing SET id = 3'), { code: '55P03' })
  assert.equal((await quick.query('SELECT FROM thing')).rowCount, 1)
  await holder.query('ROLLBACK')
  holder.release()
  await quick.end()
  await drop()
})
