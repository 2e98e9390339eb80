/** graphile-worker's own migrations, and its logger: loaded only where jobs are prepared or run. */
import { Logger, runMigrations } from 'graphile-worker'
import type { Pool } from '../database/pool.ts'

/** Says nothing: what is worth telling is told as observations. */
export const silent = new Logger(() => () => undefined)

/** Runs the migrations that a database lacks. */
export const migrateJobs = (pool: Pool, schema: string): Promise<void> =>
  runMigrations({ pgPool: pool, schema, logger: silent })
