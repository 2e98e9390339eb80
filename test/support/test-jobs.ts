/**
 * Jobs for tests, which write what they do to `test_run`. As a program it is a worker process that runs
 * them on DATABASE_URL until SIGTERM and prints its observations.
 */
import { createListener } from '../../src/database/listener.ts'
import { createPool, type Pool } from '../../src/database/pool.ts'
import { type Sql, toStatement } from '../../src/database/sql.ts'
import {
  handleJob,
  type JobContext,
  type JobHandler,
  type JobKind,
  jobKind,
} from '../../src/jobs/job.ts'
import { type JobRunner, runJobs } from '../../src/jobs/run-jobs.ts'
import type { Observation } from '../../src/observations.ts'

/** Writes a row and ends. */
export const note = jobKind<{ name: string }>('test.note')

/** Writes a row, and waits until `test_gate` contains its name. */
export const hold = jobKind<{ name: string }>('test.hold')

/** Writes a row and fails, until `test_gate` contains its name. */
export const fail = jobKind<{ name: string; message: string }>('test.fail')

/** Creates the tables that the jobs use. */
export const prepareTestJobs = async (pool: Pool): Promise<void> => {
  await pool.query(
    `CREATE TABLE test_run (id serial, name text, event text, attempt integer, pid integer, job text);
     CREATE TABLE test_gate (name text)`,
  )
}

export const testHandlers = (pool: Pool): JobHandler[] => {
  const trace = (name: string, event: string, { attempt, jobId }: JobContext) =>
    pool.query(
      'INSERT INTO test_run (name, event, attempt, pid, job) VALUES ($1, $2, $3, $4, $5)',
      [name, event, attempt, process.pid, jobId],
    )
  const isOpen = async (name: string) =>
    (await pool.query('SELECT FROM test_gate WHERE name = $1', [name])).rowCount !== 0
  return [
    handleJob(note, async ({ name }, context) => {
      await trace(name, 'noted', context)
    }),
    handleJob(hold, async ({ name }, context) => {
      await trace(name, 'begun', context)
      while (!(await isOpen(name).catch(() => false)))
        await new Promise((resolve) => setTimeout(resolve, 20))
      await trace(name, 'ended', context)
    }),
    handleJob(fail, async ({ name, message }, context) => {
      await trace(name, 'tried', context)
      if (!(await isOpen(name))) throw new Error(message)
    }),
  ]
}

/** What the jobs have written, each as its name and event. */
export const traces = async (pool: Pool): Promise<string[]> =>
  (await pool.query('SELECT name, event FROM test_run ORDER BY id')).rows.map(
    ({ name, event }) => `${name} ${event}`,
  )

type Options = { readonly maxTries?: number }

/** Adds a job and says so; returns its id. */
export const addJob = async <Payload extends object>(
  pool: Pool,
  kind: JobKind<Payload>,
  payload: Payload,
  { maxTries = 25 }: Options = {},
): Promise<number> => {
  const { rows } = await pool.query<{ id: number }>(
    `WITH added AS (
       INSERT INTO docket.job (kind, payload, max_tries) VALUES ($1, $2, $3) RETURNING id
     )
     SELECT id, pg_notify('docket_job', '') FROM added`,
    [kind.name, JSON.stringify(payload), maxTries],
  )
  return Number(rows[0]?.id)
}

/** Adds so many jobs `note`, whose names are the prefix and their number. */
export const addNotes = async (pool: Pool, prefix: string, count: number): Promise<void> => {
  await pool.query(
    `SELECT count(docket.add_job($1, json_build_object('name', $2::text || i))), pg_notify('docket_job', '')
     FROM generate_series(1, $3::integer) i`,
    [note.name, prefix, count],
  )
}

/** Runs a statement that enqueues, and returns its first row. */
export const runSql = async (pool: Pool, statement: Sql): Promise<Record<string, unknown>> =>
  (await pool.query(toStatement(statement))).rows[0]

const main = async (connectionString: string): Promise<void> => {
  const pool = createPool({ connectionString, size: 10, observe: () => undefined })
  const observe = (observation: Observation) =>
    process.stdout.write(
      `${JSON.stringify(observation, (_, value) => (value instanceof Error ? value.message : value))}\n`,
    )
  const listener = createListener({ connectionString, applicationName: 'docket listener' })
  await listener.start()
  const runner: JobRunner = await runJobs({
    connectionString,
    listener,
    handlers: testHandlers(pool),
    atOnce: 4,
    poolSize: 4,
    graceMs: Number(process.env.GRACE_MS ?? 10_000),
    observe,
  })
  process.once('SIGTERM', async () => {
    const unfinished = await runner.stop()
    await listener.close()
    await pool.end().catch(() => undefined)
    process.exit(unfinished === 0 ? 0 : 3)
  })
}

if (import.meta.main) await main(process.env.DATABASE_URL ?? '')
