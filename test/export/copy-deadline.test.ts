/** A COPY on a connection whose driver waits only so long for answers leaves no clock behind. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { copyOut } from '../../src/export/threads/copy-out.ts'
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
  for await (const batch of copyOut(client as never, text, frame)) rows += batch.rows
  return rows
}

test('neither when it ends nor when it fails', async () => {
  const count = clocks()
  assert.equal(await read('COPY (SELECT generate_series(1, 1000)) TO STDOUT'), 1000)
  assert.equal(clocks(), count)
  await assert.rejects(read('COPY (SELECT 1 / 0) TO STDOUT'), /division by zero/)
  await client.query('SELECT 1')
  assert.equal(clocks(), count)
})
