/** The tables of jobs belong to the installed version of graphile-worker. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasJobs, prepareJobs } from '../../../src/jobs/prepare-jobs.ts'
import { createTestDatabase } from '../../support/database.ts'

test('hasJobs is true only after every migration has run', async (t) => {
  const { pool, drop } = await createTestDatabase()
  t.after(drop)
  assert.equal(await hasJobs(pool), false)
  await prepareJobs(pool)
  assert.equal(await hasJobs(pool), true)
  await pool.query(
    'DELETE FROM graphile_worker.migrations WHERE id = (SELECT max(id) FROM graphile_worker.migrations)',
  )
  assert.equal(await hasJobs(pool), false)
  await pool.query('DELETE FROM graphile_worker.migrations')
  assert.equal(await hasJobs(pool), false)
})
