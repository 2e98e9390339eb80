/**
 * What `docket.add_job` relies on in the tables of the installed graphile-worker, and what its own function does
 * that ours must do too. When a new version changes them, compare both and store the new values here.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../support/database.ts'
import { createJobsDatabase } from '../../support/jobs/a-jobs-database.ts'

let database: TestDatabase
before(async () => {
  database = await createJobsDatabase()
})
after(() => database.drop())

test('the tables of jobs have the known columns and defaults', async () => {
  const { rows } = await database.pool.query<{ line: string }>(
    `SELECT table_name || '.' || column_name || ' ' || data_type || ' '
       || coalesce(column_default, generation_expression, identity_generation, is_nullable) AS line
     FROM information_schema.columns
     WHERE table_schema = 'graphile_worker' AND table_name IN ('_private_jobs', '_private_tasks')
     ORDER BY table_name, ordinal_position`,
  )
  assert.deepEqual(
    rows.map(({ line }) => line),
    [
      '_private_jobs.id bigint ALWAYS',
      '_private_jobs.job_queue_id integer YES',
      '_private_jobs.task_id integer NO',
      "_private_jobs.payload json '{}'::json",
      '_private_jobs.priority smallint 0',
      '_private_jobs.run_at timestamp with time zone now()',
      '_private_jobs.attempts smallint 0',
      '_private_jobs.max_attempts smallint 25',
      '_private_jobs.last_error text YES',
      '_private_jobs.created_at timestamp with time zone now()',
      '_private_jobs.updated_at timestamp with time zone now()',
      '_private_jobs.key text YES',
      '_private_jobs.locked_at timestamp with time zone YES',
      '_private_jobs.locked_by text YES',
      '_private_jobs.revision integer 0',
      '_private_jobs.flags jsonb YES',
      '_private_jobs.is_available boolean ((locked_at IS NULL) AND (attempts < max_attempts))',
      '_private_tasks.id integer ALWAYS',
      '_private_tasks.identifier text NO',
    ],
  )
})

test('a job of docket.add_job equals one of graphile_worker.add_job', async () => {
  const { pool } = database
  await pool.query(`BEGIN; SELECT docket.add_job('test.same', '{"a": [1]}');
    SELECT FROM graphile_worker.add_job('test.same', '{"a": [1]}'); COMMIT`)
  const { rows } = await pool.query<Record<string, unknown>>(
    `SELECT to_jsonb(j) - 'id' AS job FROM graphile_worker._private_jobs j ORDER BY id`,
  )
  const [ours, theirs] = rows
  assert.equal(rows.length, 2)
  assert.deepEqual(ours, theirs)
})

test('the function of graphile-worker is the known one', async () => {
  const { rows } = await database.pool.query<{ digest: string }>(
    `SELECT md5(prosrc) AS digest FROM pg_proc
     WHERE pronamespace = 'graphile_worker'::regnamespace AND proname = 'add_jobs'`,
  )
  assert.deepEqual(rows, [{ digest: 'b6b43899c18b4999274aef84b9efa71e' }])
})
