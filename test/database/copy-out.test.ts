/** COPY reads the socket instead of the driver: what it relies on, and that it leaves nothing behind. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import driver from 'pg/package.json' with { type: 'json' }
import { copyOut } from '../../src/database/copy/copy-out.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let client: pg.Client
before(async () => {
  database = await createTestDatabase()
  const { connectionString } = database
  client = new pg.Client({ connectionString, query_timeout: 600_000 })
  await client.connect()
})
after(async () => {
  await client.end()
  await database.drop()
})

const clocks = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
const frame = { end: '\n', separator: '' }

const read = async (text: string): Promise<number> => {
  let rows = 0
  for await (const batch of copyOut(client, text, frame)) rows += batch.rows
  return rows
}

test('the driver is the one that this was checked with', () => {
  // Of another version look first whether `connection.stream` still has its own reader of `data`, and whether
  // a query is still an object with `submit` and `handle…`; then name it here.
  assert.equal(driver.version, '8.23.1')
})

test('no clock is left, neither when it ends nor when it fails', async () => {
  const count = clocks()
  assert.equal(await read('COPY (SELECT generate_series(1, 1000)) TO STDOUT'), 1000)
  assert.equal(clocks(), count)
  await assert.rejects(read('COPY (SELECT 1 / 0) TO STDOUT'), /division by zero/)
  await client.query('SELECT 1')
  assert.equal(clocks(), count)
})

test('the driver reads its socket again afterwards, also after an error', async () => {
  const { stream } = (client as unknown as { connection: { stream: NodeJS.EventEmitter } })
    .connection
  const readers = stream.listeners('data')
  await read('COPY (SELECT generate_series(1, 10)) TO STDOUT')
  assert.deepEqual(stream.listeners('data'), readers)
  await assert.rejects(read('COPY (SELECT 1 / 0) TO STDOUT'), /division by zero/)
  assert.deepEqual(stream.listeners('data'), readers)
  const { rows } = await client.query<{ n: number }>('SELECT 7 AS n')
  assert.deepEqual(rows, [{ n: 7 }])
})
