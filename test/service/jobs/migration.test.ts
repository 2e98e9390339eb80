/** Jobs of a version that had graphile-worker are moved with their attempts, and none is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMissingMigrations, migrate } from '../../../src/database/migrate.ts'
import { countJobs } from '../../../src/jobs/job-store.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createEarlierJobs, createRestoredJobs } from '../../support/jobs/earlier-jobs.ts'

for (const { name, prepare } of [
  {
    name: 'waiting, running, failing and dead jobs are moved, and their schema goes',
    prepare: createEarlierJobs,
  },
  {
    name: 'jobs of a restored backup, whose columns are text, are moved',
    prepare: createRestoredJobs,
  },
])
  test(name, async () => {
    const { pool, drop } = await createTestDatabase()
    await prepare(pool)
    await migrate(pool)
    const { rows } = await pool.query(
      'SELECT id, kind, payload::text, status, tries, max_tries, last_error, due_at FROM docket.job ORDER BY id',
    )
    const common = { kind: 'task.tell', max_tries: 25, last_error: null }
    const due_at = '2026-01-01 00:00:00+00'
    assert.deepEqual(rows, [
      { ...common, id: 3, payload: '{"a": "\\u0000"}', status: 'queued', tries: 0, due_at },
      { ...common, id: 5, payload: '{}', status: 'queued', tries: 1, due_at },
      { ...common, id: 6, payload: '{}', status: 'queued', tries: 2, last_error: 'no', due_at },
      { ...common, id: 9, payload: '{}', status: 'dead', tries: 25, last_error: 'no', due_at },
    ])
    const { waiting, failing, dead, running } = await countJobs(pool)
    assert.deepEqual([waiting, failing, dead, running], [1, 2, 1, 0])
    await pool.query(`SELECT docket.add_job('task.tell', '{}')`)
    assert.deepEqual((await pool.query('SELECT max(id) AS id FROM docket.job')).rows, [{ id: 10 }])
    const left = await pool.query(`SELECT to_regnamespace('graphile_worker') AS schema`)
    assert.deepEqual(left.rows, [{ schema: null }])
    assert.deepEqual(await findMissingMigrations(pool), [])
    await drop()
  })
