/** A backup has no indexes of extensions: it is restored where they are missing, and a start adds them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPool } from '../../../src/database/pool.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { backUp, createDatabase, restore, startService } from '../../support/backup/a-backup.ts'

const indexes = `SELECT indexname AS name FROM pg_indexes
  WHERE schemaname = 'records' AND tablename = 'city' AND indexname LIKE '%.trgm'`

test('a restored database has no search indexes until its first start', async (t) => {
  const service = await startService(t)
  const { rows } = await service.database.pool.query(indexes)
  assert.deepEqual(rows, [{ name: 'city.name.trgm' }])
  const target = await createDatabase(t)
  await restore(target, await backUp(service.database))
  assert.deepEqual(await target.ask(indexes), [])
  assert.deepEqual(await target.ask(`SELECT FROM pg_extension WHERE extname = 'pg_trgm'`), [])

  const { connectionString } = target
  const pool = createPool({ connectionString, size: 1, observe: () => undefined })
  try {
    await syncSchema({ pool, catalog: service.project.catalog, observe: () => undefined })
  } finally {
    await pool.endWithin(5000)
  }
  assert.deepEqual(await target.ask(indexes), [{ name: 'city.name.trgm' }])
})
