/** Opens the database of a project, and makes it fit or looks whether it is: its schema, its roles, an administrator. */
import { join } from 'node:path'
import { hasCallerTriggers, installCallerTriggers } from '../auth/callers/caller-change-store.ts'
import type { Config } from '../config/load-config.ts'
import { waitForDatabase } from '../database/connections/wait-for-database.ts'
import { startEmbedded } from '../database/embedded/embedded.ts'
import { findMissingMigrations } from '../database/migrate.ts'
import { createPool, type Pool } from '../database/pool.ts'
import type { Project } from '../definitions/load-project.ts'
import { StartupError } from '../errors.ts'
import { hasJobs, prepareJobs } from '../jobs/prepare-jobs.ts'
import type { Observe } from '../observations.ts'
import { isApplied } from '../schema-sync/diff/change.ts'
import { refuseChanges } from '../schema-sync/refuse-changes.ts'
import { planSync, syncSchema } from '../schema-sync/sync-schema.ts'
import { ensureAdministrator } from '../users/ensure-administrator.ts'
import { ensureRoles } from '../users/ensure-roles.ts'
import { listUnknownRoles } from '../users/unknown-roles.ts'

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
  if (mayMigrate) {
    await prepareJobs(pool)
    await syncSchema({ ...wishOf(pool, project, config), observe })
  } else {
    const lacking = await listLacking(pool, project, config)
    refuseLacking(lacking, '--no-migrate changes nothing', againAsOwner)
  }
  await ensurePeople(pool, project, config, observe)
  if (mayMigrate) await installCallerTriggers(pool)
}

const againAsOwner = 'Run "docket migrate" as a role that may, then start again.'

/** The roles of the project and an administrator, as a start makes them; tells of roles without a file. */
export const ensurePeople = async (
  pool: Pool,
  { catalog }: Project,
  { ADMIN_EMAIL }: Config,
  observe: Observe,
): Promise<void> => {
  await ensureRoles(pool, catalog)
  await ensureAdministrator({ pool, email: ADMIN_EMAIL, observe })
  for (const one of await listUnknownRoles(pool, catalog)) observe({ kind: 'roleUnknown', ...one })
}

type Needs = {
  /** As it is called, such as `docket token`. */
  readonly command: string
  /** Docket's own tables, or those of the records as the definitions have them too. */
  readonly needs: 'own tables' | 'records'
}

/**
 * For a command that reads or plans: refuses a database that lacks what it needs, and changes none. Only a
 * project's own database that nothing was ever done in is prepared, as a start does it.
 */
export const requireDatabase = async (
  pool: Pool,
  project: Project,
  config: Config,
  observe: Observe,
  { command, needs }: Needs,
): Promise<void> => {
  if (config.DATABASE_URL === undefined && (await isUntouched(pool)))
    return prepareDatabase(pool, project, config, observe)
  const lacking =
    needs === 'records' ? await listLacking(pool, project, config) : await listLackingOwn(pool)
  refuseLacking(lacking, `"${command}" changes no tables`, first)
}

const first =
  '"docket migrate --plan" shows the statements; run "docket migrate" or "docket start" first.'

const isUntouched = async (pool: Pool): Promise<boolean> => {
  const { rowCount } = await pool.query(`SELECT WHERE to_regnamespace('docket') IS NULL`)
  return rowCount === 1
}

/** Everything that `docket migrate` would have to do first; throws where it would be refused. */
const listLacking = async (pool: Pool, project: Project, config: Config): Promise<string[]> => {
  const own = await listLackingTables(pool)
  // The tables of records are compared with what Docket's own tables remember of them.
  if (own.length > 0) return own
  const changes = await planSync(wishOf(pool, project, config))
  refuseChanges(changes, false)
  return [
    ...changes.filter((change) => isApplied(change, false)).map(({ reason }) => reason),
    ...(await listLackingTriggers(pool)),
  ]
}

const listLackingOwn = async (pool: Pool): Promise<string[]> => {
  const own = await listLackingTables(pool)
  return own.length > 0 ? own : listLackingTriggers(pool)
}

const listLackingTables = async (pool: Pool): Promise<string[]> => [
  ...(await findMissingMigrations(pool)),
  ...((await hasJobs(pool)) ? [] : ['the tables of jobs']),
]

/** Those of users and roles are on their tables, so these are there too. */
const listLackingTriggers = async (pool: Pool): Promise<string[]> =>
  (await hasCallerTriggers(pool)) ? [] : ['the triggers of callers']

const refuseLacking = (lacking: readonly string[], why: string, next: string): void => {
  if (lacking.length > 0)
    throw new StartupError(
      `The database is not as the definitions need it, and ${why}:\n${lacking.map((one) => `  ${one}`).join('\n')}\n${next}`,
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
