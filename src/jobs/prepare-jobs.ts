/** Makes the tables of jobs, which are graphile-worker's own schema, when the service starts. */
import { Logger, runMigrations } from 'graphile-worker'
import { exclusively } from '../database/exclusive.ts'
import type { Pool } from '../database/pool.ts'

/** Said wherever graphile-worker is asked, which would else look for it in the environment. */
export const jobsSchema = 'graphile_worker'

// Any number will do: held by the one process that changes the schema.
const jobsSchemaLock = 7_305_114_004
const waitMs = 60_000

/** Brings the schema `graphile_worker` up to date; of many processes at once one does the work. */
export const prepareJobs = async (pool: Pool): Promise<void> => {
  pool.on('connect', listened)
  try {
    await exclusively({ pool, lock: jobsSchemaLock, what: 'the tables of jobs', waitMs }, () =>
      runMigrations({ pgPool: pool, schema: jobsSchema, logger: silent }),
    )
  } finally {
    pool.off('connect', listened)
  }
}

/** Whether the tables of jobs are there and carry their triggers, as their makers left them. */
export const hasJobs = async (pool: Pool): Promise<boolean> => {
  const { rows } = await pool.query<{ made: boolean }>(
    `SELECT to_regclass('${jobsSchema}.migrations') IS NOT NULL AS made`,
  )
  return rows[0]?.made === true
}

/** Without a listener graphile-worker warns on the console; the pool itself looks after faults. */
export const listened = (): void => undefined

/** Says nothing: what is worth telling is told as observations. */
export const silent = new Logger(() => () => undefined)
