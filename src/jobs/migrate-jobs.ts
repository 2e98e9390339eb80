/** graphile-worker's own migrations, and its logger: loaded only where jobs are prepared or run. */
import { Logger, runMigrations } from 'graphile-worker'
import type { Pool } from '../database/pool.ts'

/** Logs nothing: what operators need is reported by observations. */
export const silent = new Logger(() => () => undefined)

/** Runs the migrations that a database lacks. */
export const migrateJobs = (pool: Pool, schema: string): Promise<void> =>
  runMigrations({ pgPool: pool, schema, logger: silent })
