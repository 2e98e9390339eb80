/** Opens the database of a project and makes it fit: its schema, its roles, an administrator. */
import { join } from 'node:path'
import { hasCallerTriggers, installCallerTriggers } from './auth/caller-change-store.ts'
import type { Config } from './config/load-config.ts'
import { startEmbedded } from './database/embedded.ts'
import { findMissingMigrations } from './database/migrate.ts'
import { createPool, type Pool } from './database/pool.ts'
import { waitForDatabase } from './database/wait-for-database.ts'
import type { Project } from './definitions/load-project.ts'
import { StartFault } from './errors.ts'
import { hasJobs, prepareJobs } from './jobs/prepare-jobs.ts'
import type { Observe } from './observations.ts'
import { isApplied } from './schema-sync/change.ts'
import { refuseChanges } from './schema-sync/refuse-changes.ts'
import { planSync, syncSchema } from './schema-sync/sync-schema.ts'
import { ensureAdministrator } from './users/ensure-administrator.ts'
import { ensureRoles } from './users/ensure-roles.ts'
import { listUnknownRoles } from './users/unknown-roles.ts'

/** A database to work on: a given one, or the project's own. */
export type Database = {
  readonly connectionString: string
  /** For the start and for commands: its statements take as long as they take. */
  readonly pool: Pool
  readonly close: () => Promise<void>
}

const commandConnections = 4
const closeWithinMs = 5_000

/** Opens the database of the configuration; starts the project's own where none is given. */
export const openDatabase = async (config: Config, observe: Observe): Promise<Database> => {
  const embedded =
    config.DATABASE_URL === undefined
      ? await startEmbedded({ directory: join(config.PROJECT, '.docket'), observe })
      : undefined
  const connectionString = config.DATABASE_URL ?? embedded?.connectionString ?? ''
  if (!embedded) {
    const waitSeconds = config.DATABASE_WAIT_SECONDS
    await waitForDatabase({ connectionString, waitSeconds, observe })
  }
  const pool = createPool({ connectionString, size: commandConnections, observe })
  return {
    connectionString,
    pool,
    close: async () => {
      await pool.endWithin(closeWithinMs)
      await embedded?.stop()
    },
  }
}

/**
 * Makes a database fit for the project: its schema, its roles, an administrator. A role that may not
 * change the schema passes `mayMigrate: false`: then the schema is only looked at, and refused where
 * something lacks.
 */
export const prepareDatabase = async (
  pool: Pool,
  project: Project,
  config: Config,
  observe: Observe,
  { mayMigrate = true }: { readonly mayMigrate?: boolean } = {},
): Promise<void> => {
  const { catalog } = project
  if (mayMigrate) {
    await prepareJobs(pool)
    await syncSchema({ ...wishOf(pool, project, config), observe })
  } else await checkDatabase(pool, project, config)
  await ensureRoles(pool, catalog)
  await ensureAdministrator({ pool, email: config.ADMIN_EMAIL, observe })
  for (const one of await listUnknownRoles(pool, catalog)) observe({ kind: 'roleUnknown', ...one })
  if (mayMigrate) await installCallerTriggers(pool)
}

/** Throws a StartFault with everything that `docket migrate` would have to do first. */
const checkDatabase = async (pool: Pool, project: Project, config: Config): Promise<void> => {
  const own = [
    ...(await findMissingMigrations(pool)),
    ...((await hasJobs(pool)) ? [] : ['the tables of jobs']),
  ]
  // The tables of records are compared with what Docket's own tables remember of them.
  const changes = own.length > 0 ? [] : await planSync(wishOf(pool, project, config))
  const needed = [
    ...own,
    ...changes.filter((change) => isApplied(change, false)).map(({ reason }) => reason),
    ...(own.length > 0 || (await hasCallerTriggers(pool)) ? [] : ['the triggers of callers']),
  ]
  refuseChanges(changes, false)
  if (needed.length > 0)
    throw new StartFault(
      `The database is not as the definitions need it, and --no-migrate changes nothing:\n${needed.map((one) => `  ${one}`).join('\n')}\nRun "docket migrate" as a role that may, then start again.`,
    )
}

/** What the schema is to follow, for a start and for `docket migrate` alike. */
export const wishOf = (pool: Pool, project: Project, config: Config) => ({
  pool,
  catalog: project.catalog,
  timeZone: timeZoneOf(project, config),
  waitMs: config.SCHEMA_WAIT_SECONDS * 1000,
})

/** The zone in which times without an offset are read. */
export const timeZoneOf = (project: Project, config: Config): string =>
  config.TIME_ZONE ?? project.settings.timeZone ?? 'UTC'
