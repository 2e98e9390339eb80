/** A job is enqueued in the transaction of its change, with the options that the statement gives. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { raw, sql, toStatement } from '../../../src/database/sql.ts'
import { transaction } from '../../../src/database/transaction.ts'
import { enqueue, jobsIn } from '../../../src/jobs/enqueue.ts'
import { jobKind } from '../../../src/jobs/job.ts'
import { hasJobs, prepareJobs } from '../../../src/jobs/prepare-jobs.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { emptyJobsDatabase, shareJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import { runSql } from '../../support/test-jobs.ts'

const kind = jobKind<{ id: number; text?: string }>('test.enqueued')

let database: TestDatabase
before(async () => {
  database = await shareJobsDatabase()
  await database.pool.query('CREATE TABLE item (id serial PRIMARY KEY, name text)')
})
beforeEach(() => emptyJobsDatabase(database))

type Row = {
  payload: string
  run_at: string
  max_attempts: number
  key: string | null
  queue: string | null
  is_due: boolean
}
const jobs = async (): Promise<Row[]> =>
  (
    await database.pool.query<Row>(
      `SELECT payload, run_at, max_attempts, key, run_at <= now() AS is_due,
        (SELECT queue_name FROM graphile_worker._private_job_queues q WHERE q.id = job_queue_id) AS queue
       FROM graphile_worker._private_jobs ORDER BY id`,
    )
  ).rows
const payloads = async () => (await jobs()).map(({ payload }) => JSON.parse(payload))

test('a change that is rolled back leaves no job', async () => {
  const change = transaction(database.pool, async (connection) => {
    await connection.query(`INSERT INTO item (name) VALUES ('lost')`)
    const job = enqueue({ kind, payload: { id: 1 } })
    await connection.query(toStatement(sql`SELECT ${job} AS job`))
    throw new Error('The change is refused.')
  })
  await assert.rejects(change, /refused/)
  assert.deepEqual(await jobs(), [])
})

test('a statement that fails leaves no job', async () => {
  const job = enqueue({ kind, payload: raw(`json_build_object('id', c.id)`) })
  await assert.rejects(
    runSql(
      database.pool,
      sql`WITH c AS (INSERT INTO item (name) VALUES ('x') RETURNING id) SELECT ${job} AS job, 1 / (c.id * 0) AS failing FROM c`,
    ),
    /division by zero/,
  )
  assert.deepEqual(await jobs(), [])
})

test('a statement can use the id that it has just created in the payload', async () => {
  const job = enqueue({ kind, payload: raw(`json_build_object('id', c.id)`) })
  const row = await runSql(
    database.pool,
    sql`WITH c AS (INSERT INTO item (name) VALUES ('kept') RETURNING id) SELECT c.id, ${job} AS job FROM c`,
  )
  assert.equal(row.job, 1)
  assert.deepEqual(await payloads(), [{ id: row.id }])
})

test('an INSERT can enqueue a job in its RETURNING clause', async () => {
  const job = enqueue({ kind, payload: raw(`json_build_object('id', id)`) })
  const row = await runSql(
    database.pool,
    sql`INSERT INTO item (name) VALUES ('inserted') RETURNING id, ${job} AS job`,
  )
  assert.deepEqual(await payloads(), [{ id: row.id }])
})

test('a payload keeps every character', async () => {
  const text = `'); DROP TABLE item; -- "\\ \0 \ud800 \u{1f600}\n$1`
  await runSql(database.pool, sql`SELECT ${enqueue({ kind, payload: { id: 1, text } })} AS job`)
  assert.deepEqual(await payloads(), [{ id: 1, text }])
})

test('a job without options is due immediately, with 25 attempts, no key and no queue', async () => {
  await runSql(database.pool, sql`SELECT ${enqueue({ kind, payload: { id: 1 } })} AS job`)
  const [job] = await jobs()
  const { max_attempts, key, queue, is_due } = job ?? {}
  assert.deepEqual(
    { max_attempts, key, queue, is_due },
    {
      max_attempts: 25,
      key: null,
      queue: null,
      is_due: true,
    },
  )
})

test('a job can wait until a time that the statement knows', async () => {
  const job = enqueue({
    kind,
    payload: raw(`json_build_object('id', c.id)`),
    runAt: raw('c.due'),
  })
  await runSql(
    database.pool,
    sql`SELECT ${job} AS job FROM (VALUES (7, timestamptz '2031-01-01')) c(id, due)`,
  )
  const [kept] = await jobs()
  assert.equal(kept?.run_at, '2031-01-01 00:00:00+00')
})

test('a statement can enqueue a job for every row that it has written', async () => {
  const job = enqueue({ kind, payload: raw(`json_build_object('id', c.id)`) })
  const { jobs: number } = await runSql(
    database.pool,
    sql`WITH c AS (INSERT INTO item (name) SELECT 'many' FROM generate_series(1, 100) RETURNING id)
      SELECT ${jobsIn(sql`count(${job})`, 'jobs')} FROM c`,
  )
  assert.equal(Number(number), 100)
  const written = await database.pool.query(`SELECT id FROM item WHERE name = 'many' ORDER BY id`)
  assert.deepEqual(await payloads(), written.rows)
})

/**
 * What `docket.add_job` relies on in the tables of the installed graphile-worker, and what its own function does
 * that ours must do too. When a new version changes them, compare both and store the new values here.
 */
describe('graphile-worker', () => {
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
})
