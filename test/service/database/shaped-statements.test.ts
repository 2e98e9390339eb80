/** Which statements stay prepared in a connection: those made from definitions, and shapes that recur. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryOnce, queryRows, queryShaped } from '../../../src/database/pool.ts'
import { createTestDatabase } from '../../support/database.ts'

const { pool } = await createTestDatabase()

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
