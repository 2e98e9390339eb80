/** A connection that a library releases twice, as graphile-worker may when PostgreSQL is unreachable. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PoolClient } from 'pg'
import { createTestDatabase } from '../support/database.ts'

test('the second release of a connection has no effect, also while another caller uses the connection', async () => {
  const { pool, drop } = await createTestDatabase()
  const { promise, resolve, reject } =
    Promise.withResolvers<readonly [PoolClient, (error?: boolean | Error) => void]>()
  pool.connect((error, client, release) =>
    client ? resolve([client, release]) : reject(error ?? new Error('no connection')),
  )
  const [client, release] = await promise
  await client.query('SELECT 1')
  release()
  const other = await pool.connect()
  release()
  assert.equal((await other.query('SELECT 2 AS two')).rows[0].two, 2)
  other.release()
  await drop()
})
