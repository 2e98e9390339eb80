/** Migrations of Docket's own schema: each file runs once, also with concurrent processes. */
import assert from 'node:assert/strict'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { migrate } from '../../../src/database/migrate.ts'
import type { Queryable } from '../../../src/database/pool.ts'
import { StartupError } from '../../../src/errors.ts'
import { createTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/wait.ts'

const database = await createTestDatabase()
const directory = temporaryFolder()
const files = pathToFileURL(`${directory}/`)
beforeEach(() => database.pool.query('DROP SCHEMA IF EXISTS docket, records CASCADE'))
after(async () => {
  await database.drop()
  await rm(directory, { recursive: true })
})

const connected = async <T>(work: (connection: pg.Client) => Promise<T>): Promise<T> => {
  const connection = new pg.Client({ connectionString: database.connectionString })
  await connection.connect()
  try {
    return await work(connection)
  } finally {
    await connection.end()
  }
}

const list = async (text: string) =>
  (await database.pool.query({ text, rowMode: 'array' })).rows.map((row) => row[0])

const applied = () => list(`SELECT number || ' ' || name FROM docket.migration ORDER BY number`)

test('migrating an empty database creates the schemas and tables of Docket', async () => {
  await connected((connection) => migrate(connection))
  const own = `SELECT count(*) > 30 FROM pg_tables WHERE schemaname = 'docket'`
  assert.deepEqual(await list(own), [true])
  assert.deepEqual(await list(`SELECT nspname FROM pg_namespace WHERE nspname = 'records'`), [
    'records',
  ])
  assert.equal((await applied())[0], '1 0001-foundation.sql')
})

test('a second run changes nothing', async () => {
  await connected((connection) => migrate(connection))
  const rows = () => list('SELECT migration::text || xmin FROM docket.migration')
  const first = await rows()
  await connected((connection) => migrate(connection))
  assert.deepEqual(await rows(), first)
})

test('ten concurrent runs apply each file once, without a lock of the caller', async () => {
  await Promise.all(
    Array.from({ length: 10 }, () => connected((connection) => migrate(connection))),
  )
  assert.equal((await applied()).length, new Set(await applied()).size)
})

test('files run in the order of their numbers, and new files run at the next call', async () => {
  await writeFile(join(directory, '0002-second.sql'), 'CREATE VIEW docket.b AS TABLE docket.a')
  await writeFile(join(directory, '0001-first.sql'), 'CREATE TABLE docket.a (id integer)')
  await writeFile(join(directory, 'notes.md'), 'is not a migration')
  await connected((connection) => migrate(connection, files))
  await writeFile(join(directory, '0003-third.sql'), 'DROP VIEW docket.b; DROP TABLE docket.a')
  await connected((connection) => migrate(connection, files))
  assert.deepEqual(await applied(), ['1 0001-first.sql', '2 0002-second.sql', '3 0003-third.sql'])
  for (const name of ['0001-first.sql', '0002-second.sql', '0003-third.sql'])
    await rm(join(directory, name))
})

test('notifications on servers of their own have to be led back first', async () => {
  const own = new URL('../../../src/database/migrations/', import.meta.url)
  const earlier = join(directory, 'earlier')
  const filter = (path: string) => !path.endsWith('0048-no-feed-apart.sql')
  await cp(own, earlier, { recursive: true, filter })
  await connected(async (connection) => {
    await migrate(connection, pathToFileURL(`${earlier}/`))
    const place = (names: string) =>
      connection.query(`UPDATE docket.feed_placement SET names = '${names}'`)
    await connection.query('INSERT INTO docket.feed_placement DEFAULT VALUES')
    await place('{one,two}')
    await assert.rejects(migrate(connection), /\(one, two\).*"docket move-feed"/)
    await place('{}')
    await migrate(connection)
  })
})

test('a file that fails is rolled back, and it runs at the next call after it is fixed', async () => {
  const file = join(directory, '0001-broken.sql')
  await writeFile(file, 'CREATE TABLE docket.half (id integer); SELECT no_such_function()')
  await connected(async (connection) => {
    await assert.rejects(migrate(connection, files), (error) => {
      assert.ok(error instanceof StartupError)
      assert.match(error.message, /0001-broken\.sql failed and was rolled back: .*no_such_function/)
      return true
    })
    await writeFile(file, 'CREATE TABLE docket.half (id integer)')
    await migrate(connection, files)
  })
  assert.deepEqual(await applied(), ['1 0001-broken.sql'])
  await rm(file)
})

test('a PostgreSQL older than 15 is rejected, and the message names its version', async () => {
  const old = { query: async () => ({ rows: [{ number: '140011', name: '14.11 (Debian)' }] }) }
  await assert.rejects(migrate(old as unknown as Queryable), {
    name: 'StartupError',
    message: 'Docket needs PostgreSQL 15 or newer; DATABASE_URL points to 14.11 (Debian).',
  })
})

test('a migration of a table in use does not block other statements, and runs when the table is free', async () => {
  await database.pool.query('CREATE SCHEMA docket; CREATE TABLE docket.a (id integer)')
  const file = join(directory, '0001-more.sql')
  await writeFile(file, 'ALTER TABLE docket.a ADD COLUMN more integer')
  const reader = await database.pool.connect()
  await reader.query('BEGIN; SELECT FROM docket.a')
  const migrated = connected((connection) => migrate(connection, files))
  const writer = await database.pool.connect()
  await writer.query(`SET lock_timeout = '2s'`)
  for (let count = 0; count < 20; count++) {
    await writer.query('INSERT INTO docket.a VALUES (1)')
    await delay(50)
  }
  await reader.query('COMMIT')
  await migrated
  assert.deepEqual(await applied(), ['1 0001-more.sql'])
  reader.release(true)
  writer.release(true)
  await rm(file)
})

test('a file outside of a transaction builds indexes while others write, and is run again if it was interrupted', async () => {
  await database.pool.query('CREATE SCHEMA docket; CREATE TABLE docket.a (id integer)')
  await database.pool.query('INSERT INTO docket.a VALUES (1), (1)')
  const file = join(directory, '0001-index.sql')
  await writeFile(
    file,
    `-- outside of a transaction
-- Ids are unique.
DROP INDEX CONCURRENTLY IF EXISTS docket.a_idx;
CREATE UNIQUE INDEX CONCURRENTLY a_idx ON docket.a (id);
`,
  )
  const validity = () =>
    list(`SELECT indisvalid FROM pg_index WHERE indexrelid = 'docket.a_idx'::regclass`)
  await assert.rejects(
    connected((connection) => migrate(connection, files)),
    /^StartupError: The migration 0001-index\.sql failed; the next start runs it again: .*unique/,
  )
  assert.deepEqual([await validity(), await applied()], [[false], []])
  await database.pool.query('DELETE FROM docket.a')
  const writer = await database.pool.connect()
  await writer.query('BEGIN; INSERT INTO docket.a VALUES (2)')
  const migrated = Promise.all(
    [1, 2].map(() => connected((connection) => migrate(connection, files))),
  )
  const other = await database.pool.connect()
  await other.query(`SET lock_timeout = '50ms'`)
  await until('it waits for the writer', async () => {
    await other.query('INSERT INTO docket.a SELECT coalesce(max(id), 2) + 1 FROM docket.a')
    const found = await other.query(`SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event = 'virtualxid'`)
    return found.rowCount === 1
  })
  await writer.query('COMMIT')
  await migrated
  for (const connection of [writer, other]) connection.release(true)
  assert.deepEqual([await validity(), await applied()], [[true], ['1 0001-index.sql']])
  await rm(file)
})
