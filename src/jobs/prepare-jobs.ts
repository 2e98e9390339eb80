/** Creates the tables of jobs, which are graphile-worker's own schema, when the service starts. */
import { exclusively } from '../database/locks.ts'
import { execute, type Pool } from '../database/pool.ts'
import { sql, texts } from '../database/sql.ts'
import type { JobKind } from './job.ts'

/** Passed to every call of graphile-worker, which would otherwise read it from the environment. */
export const jobsSchema = 'graphile_worker'

// An arbitrary number: the advisory lock of the process that changes the schema.
const jobsSchemaLock = 7_305_114_004
const waitMs = 60_000

/** Brings the schema `graphile_worker` up to date; of many processes at the same time one does the work. */
export const prepareJobs = async (pool: Pool): Promise<void> => {
  if ((await newestOf(pool)) === newestMigration) return
  // Most starts find the tables and need nothing else.
  const { migrateJobs } = await import('./migrate-jobs.ts')
  pool.on('connect', listened)
  try {
    await exclusively({ pool, lock: jobsSchemaLock, what: 'the tables of jobs', waitMs }, () =>
      migrateJobs(pool, jobsSchema),
    )
  } finally {
    pool.off('connect', listened)
  }
}

/** Names the kinds before the first change: two changes that name new ones could wait for each other. */
export const nameKinds = async (pool: Pool, kinds: readonly JobKind<object>[]): Promise<void> => {
  const names = texts(kinds.map(({ name }) => name))
  await execute(
    pool,
    sql`INSERT INTO graphile_worker._private_tasks (identifier)
        SELECT name FROM unnest(${names}) AS name ORDER BY name ON CONFLICT DO NOTHING`,
  )
}

// Of the graphile-worker in package.json, which does not export it; a test compares them.
const newestMigration = 20

/** Whether the tables of jobs exist, of this graphile-worker or a later one. */
export const hasJobs = async (pool: Pool): Promise<boolean> =>
  (await newestOf(pool)) >= newestMigration

/** The number of the newest migration of jobs that a database has; 0 without any. */
const newestOf = async (pool: Pool): Promise<number> => {
  const { rows } = await pool.query<{ is_made: boolean }>(
    `SELECT to_regclass('${jobsSchema}.migrations') IS NOT NULL AS is_made`,
  )
  if (rows[0]?.is_made !== true) return 0
  const newest = await pool.query<{ id: number | null }>(
    `SELECT max(id) AS id FROM ${jobsSchema}.migrations`,
  )
  return newest.rows[0]?.id ?? 0
}

/** Without a listener graphile-worker warns on the console; the pool itself handles errors. */
export const listened = (): void => undefined
