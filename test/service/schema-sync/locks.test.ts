/** Schema changes never block writers, and the error names the sessions that block the change. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StartupError } from '../../../src/errors.ts'
import { SchemaRefusal } from '../../../src/schema-sync/diff/change.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { aCatalog, anItem } from '../../support/schema-sync/a-catalog.ts'
import { until } from '../../support/wait.ts'
import { database, define, insert, rows, shareSchema } from './a-schema.ts'

shareSchema()

const name = { key: 'name', type: 'string' } as const
const syncWith = (waitMs: number, ...fields: Parameters<typeof anItem>) =>
  syncSchema({
    pool: database.pool,
    catalog: aCatalog(anItem(...fields)),
    observe: () => undefined,
    waitMs,
  })

/** A connection of another program, whose statements fail after two seconds of waiting for a lock. */
const connect = async (application_name: string) => {
  const client = new pg.Client({ connectionString: database.connectionString, application_name })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`SET lock_timeout = '2s'`)
  return client
}

/** Holds a snapshot and a lock on the table, as an export does. */
const startExport = async () => {
  const client = await connect('slow export')
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await client.query('SELECT count(*) FROM records.item')
  return client
}

/** Writes and reads until it is stopped; fails when a statement waits two seconds for a lock. */
const startWriter = async () => {
  const client = await connect('writer')
  let isStopped = false
  let written = 0
  const ended = (async () => {
    while (!isStopped) {
      await client.query(`INSERT INTO records.item (name) VALUES ('w')`)
      await client.query('SELECT count(*) FROM records.item')
      written++
      await delay(5)
    }
  })()
  ended.catch(() => undefined)
  return {
    stop: async () => {
      isStopped = true
      await ended.finally(() => client.end())
      return written
    },
  }
}

test('a sync that an export blocks fails and names the export, and no writer has to wait', async () => {
  await define(anItem(name))
  const reader = await startExport()
  const writer = await startWriter()
  try {
    await assert.rejects(syncWith(3_000, name, { key: 'code', type: 'string' }), (error) => {
      assert.ok(error instanceof StartupError)
      assert.match(
        error.message,
        /^"records"\."item" cannot be changed, because others have used it/,
      )
      assert.match(error.message, /pid \d+ \(slow export, idle in transaction, for \d+ s\)/)
      assert.match(error.message, /SCHEMA_WAIT_SECONDS/)
      return true
    })
  } finally {
    assert.ok((await writer.stop()) > 0)
    await reader.end()
  }
})

test('a sync continues when the export that blocked it ends', async () => {
  await define(anItem(name))
  const reader = await startExport()
  const writer = await startWriter()
  const synced = syncWith(60_000, name, { key: 'code', type: 'string' })
  await delay(500)
  await reader.query('COMMIT')
  const { applied } = await synced
  assert.equal(applied.length, 1)
  await writer.stop()
  await reader.end()
})

test('indexes, links and NOT NULL are added to a table with records without blocking writers', async () => {
  const country = { key: 'country', fields: [] }
  const link = { key: 'country', type: 'manyToOne', entity: 'country' } as const
  await define(
    anItem(name, { key: 'code', type: 'string' }, { key: 'country_id', type: 'integer' }),
    country,
  )
  await insert(`(name, code) SELECT n::text, n::text FROM generate_series(1, 1000) n`)
  const writer = await startWriter()
  const desired = aCatalog(
    anItem(
      { ...name, required: true, indexed: true },
      { key: 'code', type: 'string', unique: true },
      link,
    ),
    country,
  )
  const options = { pool: database.pool, catalog: desired, observe: () => undefined }
  const { applied } = await syncSchema(options)
  await writer.stop()
  // So few records would not show it.
  const blocking = /CREATE (UNIQUE )?INDEX (?!CONCURRENTLY)|FOREIGN KEY (?!.* NOT VALID)/
  for (const { sql } of applied) assert.doesNotMatch(sql, blocking)
  assert.deepEqual(await syncSchema(options), { applied: [], left: [] })
  const constraints = await rows(
    `SELECT conname, convalidated FROM pg_constraint WHERE conrelid = 'records.item'::regclass AND contype IN ('f', 'c')`,
  )
  assert.deepEqual(constraints, [{ conname: 'item.country_id.fkey', convalidated: true }])
})

test('an index build that waits for old transactions fails and names them, and the next sync builds the index', async () => {
  await define(anItem(name))
  await insert(`(name) VALUES ('x')`)
  const reader = await startExport()
  const writer = await startWriter()
  await assert.rejects(
    syncWith(1_000, { ...name, indexed: true }),
    /This waited 1 s for transactions that began before it: pid \d+ \(slow export/,
  )
  await reader.query('COMMIT')
  const { applied } = await syncWith(60_000, { ...name, indexed: true })
  assert.deepEqual(
    applied.map(({ sql }) => sql),
    [
      'DROP INDEX "records"."item.name.idx"',
      'CREATE INDEX CONCURRENTLY "item.name.idx" ON "records"."item" ("name")',
    ],
  )
  await writer.stop()
  await reader.end()
})

test('the error names an idle process that holds the sync lock, and the lock is released when that process ends', async () => {
  await define(anItem(name))
  const other = await connect('stopped process')
  await other.query('SELECT pg_advisory_lock(7305114002)')
  await assert.rejects(
    syncWith(1_000, name),
    /Another process has the lock of the tables of records and is idle: pid \d+ \(stopped process, idle\)/,
  )
  await other.end()
  await syncWith(60_000, name)
})

test('a column that gets a value while the sync waits for its lock keeps the value, and the sync is rejected', async () => {
  const telephone = { key: 'telephone', type: 'string' } as const
  await define(anItem({ key: 'phone', type: 'string' }))
  await insert(`(phone) VALUES ('1')`)
  await define(anItem(telephone))
  const writer = await connect('concurrent writer')
  await writer.query(`BEGIN; UPDATE records.item SET telephone = 'new number'`)
  const rejected = assert.rejects(syncWith(60_000, { ...telephone, was: 'phone' }), (error) => {
    assert.ok(error instanceof SchemaRefusal)
    assert.match(error.message, /item\.telephone was phone, but both columns hold values/)
    return true
  })
  await until('the sync waits for the table', async () => {
    const found = await rows(`SELECT FROM pg_stat_activity WHERE datname = current_database()
      AND wait_event_type = 'Lock' AND query LIKE 'LOCK TABLE %'`)
    return found.length > 0
  })
  await writer.query('COMMIT')
  await writer.end()
  await rejected
  assert.deepEqual(await rows('SELECT phone, telephone FROM records.item'), [
    { phone: '1', telephone: 'new number' },
  ])
})
