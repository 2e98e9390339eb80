/** Makes the tables of jobs, which are graphile-worker's own schema, when the service starts. */
import { Logger, runMigrations } from 'graphile-worker'
import type { Pool } from '../database/pool.ts'

/** Said wherever graphile-worker is asked, which would else look for it in the environment. */
export const jobsSchema = 'graphile_worker'

// Any number will do: held by the one process that changes the schema.
const jobsSchemaLock = 7_305_114_004

/** Brings the schema `graphile_worker` up to date; of many processes at once one does the work. */
export const prepareJobs = async (pool: Pool): Promise<void> => {
  pool.on('connect', listened)
  const connection = await pool.connect()
  let broken: Error | undefined
  try {
    await connection.query(`SELECT pg_advisory_lock(${jobsSchemaLock})`)
    await runMigrations({ pgPool: pool, schema: jobsSchema, logger: silent })
  } finally {
    // A connection that cannot unlock is closed, which unlocks too.
    await connection.query(`SELECT pg_advisory_unlock(${jobsSchemaLock})`).catch((error: Error) => {
      broken = error
    })
    connection.release(broken)
    pool.off('connect', listened)
  }
}

/** Without a listener graphile-worker warns on the console; the pool itself looks after faults. */
export const listened = (): void => undefined

/** Says nothing: what is worth telling is told as observations. */
export const silent = new Logger(() => () => undefined)
