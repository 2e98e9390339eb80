/** What takes long on a large table runs while others write, says how far it is, and is finished by the next start. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import type { Observation } from '../../../src/observations.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { aCatalog, anItem } from '../../support/schema-sync/a-catalog.ts'
import { until } from '../../support/wait.ts'
import { database, define, insert, rows, shareSchema } from './a-schema.ts'

shareSchema()

const name = { key: 'name', type: 'string' } as const
const indexed = aCatalog(anItem({ ...name, indexed: true }))

/** Ended with the test at the latest: a transaction that stays open stops the tests after it. */
const connect = async (t: TestContext, application_name: string) => {
  const client = new pg.Client({ connectionString: database.connectionString, application_name })
  client.on('error', () => undefined)
  await client.connect()
  t.after(() => client.end())
  return client
}

const syncWith = (observe: (observation: Observation) => void = () => undefined) =>
  syncSchema({ pool: database.pool, catalog: indexed, observe })

/** Those of definitions; the search has one of its own. */
const validIndexes = () =>
  rows(`SELECT indexrelid::regclass::text AS name, indisvalid AS "isValid" FROM pg_index
    WHERE indrelid = 'records.item'::regclass AND indexrelid::regclass::text LIKE '%.idx"'`)
const finished = [{ name: 'records."item.name.idx"', isValid: true }]

test('a build that is killed while it waits for an export has said so, and the next start builds the index', async (t) => {
  await define(anItem(name))
  await insert(`(name) VALUES ('x')`)
  const reader = await connect(t, 'slow export')
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await reader.query('SELECT count(*) FROM records.item')
  const seen: Observation[] = []
  const killed = assert.rejects(syncWith((observation) => seen.push(observation)))
  // On a busy machine, the phases before may be told too.
  const waiting = () => seen.find((one) => one.kind === 'schemaChanging' && one.waitsFor)
  await until('the sync says that it waits', () => waiting() !== undefined)
  const told = waiting()
  assert.ok(told?.kind === 'schemaChanging')
  assert.match(told.statement, /^CREATE INDEX CONCURRENTLY "item\.name\.idx"/)
  assert.match(told.phase ?? '', /^waiting for/)
  assert.match(told.waitsFor ?? '', /^pid \d+ \(slow export, idle in transaction, for \d+ s\)$/)
  await rows(`SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index
    WHERE datname = current_database()`)
  await killed
  assert.deepEqual(await validIndexes(), [{ ...finished[0], isValid: false }])
  await reader.end()
  await syncWith()
  assert.deepEqual(await validIndexes(), finished)
})

test('empty values of a field that is now required are filled part by part, and what a kill leaves is filled by the next run', async (t) => {
  const value = "it's $fill$ and $fill_$"
  await define(anItem({ ...name, default: value }))
  await insert(`(name) SELECT CASE WHEN n > 12000 THEN 'x' END FROM generate_series(1, 13000) n`)
  const required = aCatalog(anItem({ ...name, required: true, default: value }))
  const migrated = () =>
    syncSchema({
      pool: database.pool,
      catalog: required,
      observe: () => undefined,
      allowDestructive: true,
    })
  const empty = async () =>
    (await rows('SELECT count(*)::integer AS count FROM records.item WHERE name IS NULL'))[0]?.count
  const user = await connect(t, 'slow user')
  await user.query('BEGIN')
  await user.query('SELECT FROM records.item WHERE id = 10500 FOR UPDATE')
  const killed = assert.rejects(migrated())
  await until('two parts of 5,000 are filled', async () => (await empty()) === 2000)
  // Nobody else waits: neither new records nor changes of those without a value.
  const writer = await connect(t, 'writer')
  await writer.query(`SET lock_timeout = '50ms'`)
  await writer.query(`INSERT INTO records.item (name) VALUES ('new')`)
  await writer.query('UPDATE records.item SET _version = _version WHERE id = 11000')
  await writer.end()
  await until('the next part waits for the record of the user', async () => {
    const found = await rows(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'DO %'`)
    return found.length === 1
  })
  await killed
  await user.end()
  await migrated()
  assert.equal(await empty(), 0)
  const filled = await rows(`SELECT DISTINCT name FROM records.item WHERE id <= 12000`)
  assert.deepEqual(filled, [{ name: value }])
  await assert.rejects(insert('(name) VALUES (NULL)'), /not-null/)
})
