/** COPY reads the socket instead of the driver: what this relies on, and that it restores the driver's state. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import driver from 'pg/package.json' with { type: 'json' }
import { copyOut } from '../../../src/database/copy/copy-out.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { until } from '../../support/wait.ts'

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
