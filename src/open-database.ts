/** Opens the database of a project and makes it fit: its schema, its roles, an administrator. */
import { join } from 'node:path'
import { installCallerTriggers } from './auth/caller-change-store.ts'
import type { Config } from './config/load-config.ts'
import { startEmbedded } from './database/embedded.ts'
import { createPool, type Pool } from './database/pool.ts'
import type { Project } from './definitions/load-project.ts'
import { prepareJobs } from './jobs/prepare-jobs.ts'
import type { Observe } from './observations.ts'
import { syncSchema } from './schema-sync/sync-schema.ts'
import { ensureAdministrator } from './users/ensure-administrator.ts'
import { ensureRoles } from './users/ensure-roles.ts'
import { checkSteps } from './workflow/check-steps.ts'

/** A database to work on: a given one, or the project's own. */
export type Database = {
  readonly connectionString: string
  readonly pool: Pool
  readonly close: () => Promise<void>
}

/** Opens the database of the configuration; starts the project's own where none is given. */
export const openDatabase = async (config: Config, observe: Observe): Promise<Database> => {
  const embedded =
    config.DATABASE_URL === undefined
      ? await startEmbedded({ directory: join(config.PROJECT, '.docket'), observe })
      : undefined
  const connectionString = config.DATABASE_URL ?? embedded?.connectionString ?? ''
  const pool = createPool({ connectionString, size: config.DATABASE_POOL_SIZE, observe })
  return {
    connectionString,
    pool,
    close: async () => {
      await pool.end()
      await embedded?.stop()
    },
  }
}

/** Makes a database fit for the project: its schema, its roles, an administrator. */
export const prepareDatabase = async (
  pool: Pool,
  project: Project,
  config: Config,
  observe: Observe,
): Promise<void> => {
  const { catalog } = project
  await syncSchema({ pool, catalog, timeZone: timeZoneOf(project, config), observe })
  await prepareJobs(pool)
  await checkSteps(pool, catalog)
  await ensureRoles(pool, catalog)
  await ensureAdministrator({ pool, email: config.ADMIN_EMAIL, observe })
  await installCallerTriggers(pool)
}

/** The zone in which times without an offset are read. */
export const timeZoneOf = (project: Project, config: Config): string =>
  config.TIME_ZONE ?? project.settings.timeZone ?? 'UTC'
