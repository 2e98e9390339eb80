/** Opens the database of a project, and prepares or checks it: its schema, its roles, an administrator. */
import { join } from 'node:path'
import { storeApplied } from '../audit/applied-definitions.ts'
import { hasCallerTriggers, installCallerTriggers } from '../auth/callers/caller-change-store.ts'
import type { Config } from '../config/load-config.ts'
import { waitForDatabase } from '../database/connections/wait-for-database.ts'
import { startEmbedded } from '../database/embedded/embedded.ts'
import { findMissingMigrations } from '../database/migrate.ts'
import { createPool, type Pool } from '../database/pool.ts'
import type { Project } from '../definitions/load-project.ts'
import { StartupError } from '../errors.ts'
import type { Observe } from '../observations.ts'
import { isSynced } from '../schema-sync/desired-schema.ts'
import { isApplied, refuseChanges } from '../schema-sync/diff/change.ts'
import { planSync, syncSchema } from '../schema-sync/sync-schema.ts'
import { ensureAdministrator, ensureRoles, listUnknownRoles } from '../users/roles.ts'

/** A database to work on: a given one, or the project's own. */
export type Database = {
  /** Of the database itself, without a pooler. */
  readonly connectionString: string
  /** For the start and for commands: its statements have no time limit. */
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
  const { DATABASE_URL = embedded?.connectionString ?? '', DATABASE_DIRECT_URL } = config
  const connectionString = DATABASE_DIRECT_URL ?? DATABASE_URL
  if (!embedded) {
    const waitSeconds = config.DATABASE_WAIT_SECONDS
    const pooler = DATABASE_DIRECT_URL === undefined ? undefined : DATABASE_URL
    await waitForDatabase({ connectionString, pooler, waitSeconds, observe })
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

/** Opens the database for some work, and closes it afterwards. */
export const withDatabase = async <T>(
  config: Config,
  observe: Observe,
  work: (database: Database) => Promise<T>,
): Promise<T> => {
  const database = await openDatabase(config, observe)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/**
 * Prepares a database for the project: its schema, its roles, an administrator. With `mayMigrate: false`,
 * for a role that may not change the schema, the schema is only checked; throws when it is incomplete.
 */
export const prepareDatabase = async (
  pool: Pool,
  project: Project,
  config: Config,
  observe: Observe,
  { mayMigrate = true }: { readonly mayMigrate?: boolean } = {},
): Promise<void> => {
  if (mayMigrate) {
    const sync = syncOptionsOf(pool, project, config)
    if (!(await isSynced(pool, sync))) await syncSchema({ ...sync, observe })
  } else {
    const lacking = await listLacking(pool, project, config)
    refuseLacking(lacking, '--no-migrate changes nothing', migrateFirst)
  }
  await storeApplied(pool, project)
  await ensurePeople(pool, project, config, observe)
  if (mayMigrate && !(await hasCallerTriggers(pool))) await installCallerTriggers(pool)
}

const migrateFirst = 'Run "docket migrate" as a role that may change the schema, then start again.'

/** Creates the roles of the project and an administrator, as at a start; reports roles without a file. */
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

export type Needs = {
  /** The name that users type, such as `docket token`. */
  readonly command: string
  /** Docket's own tables only, or also those of the records, up to date with the definitions. */
  readonly needs: 'own tables' | 'records'
}

/**
 * For commands that read or plan: throws when the database lacks what they need, and changes nothing.
 * Only an embedded database that was never used is prepared, as at a start.
 */
export const requireDatabase = async (
  pool: Pool,
  project: Project,
  config: Config,
  observe: Observe,
  { command, needs }: Needs,
): Promise<void> => {
  if (config.DATABASE_URL === undefined && (await isUnused(pool)))
    return prepareDatabase(pool, project, config, observe)
  const lacking =
    needs === 'records' ? await listLacking(pool, project, config) : await listLackingOwn(pool)
  refuseLacking(lacking, `"${command}" changes no tables`, first)
}

const first =
  '"docket migrate --plan" shows the statements; run "docket migrate" or "docket start" first.'

const isUnused = async (pool: Pool): Promise<boolean> => {
  const { rowCount } = await pool.query(`SELECT WHERE to_regnamespace('docket') IS NULL`)
  return rowCount === 1
}

/** Everything that `docket migrate` would do; throws when it would be rejected. */
const listLacking = async (pool: Pool, project: Project, config: Config): Promise<string[]> => {
  const own = await findMissingMigrations(pool)
  // The tables of records are compared with data in Docket's own tables, so these come first.
  if (own.length > 0) return own
  const changes = await planSync(syncOptionsOf(pool, project, config))
  refuseChanges(changes, false)
  return [
    ...changes.filter((change) => isApplied(change, {})).map(({ reason }) => reason),
    ...(await listLackingTriggers(pool)),
  ]
}

const listLackingOwn = async (pool: Pool): Promise<string[]> => {
  const own = await findMissingMigrations(pool)
  return own.length > 0 ? own : listLackingTriggers(pool)
}

/** Their triggers exist when the tables of users and roles exist. */
const listLackingTriggers = async (pool: Pool): Promise<string[]> =>
  (await hasCallerTriggers(pool)) ? [] : ['the triggers of callers']

const refuseLacking = (lacking: readonly string[], why: string, next: string): void => {
  if (lacking.length > 0)
    throw new StartupError(
      `The database does not match the definitions, and ${why}:\n${lacking.map((one) => `  ${one}`).join('\n')}\n${next}`,
    )
}

/** Options of schema sync, for a start and for `docket migrate`. */
export const syncOptionsOf = (pool: Pool, project: Project, config: Config) => ({
  pool,
  catalog: project.catalog,
  timeZone: timeZoneOf(project, config),
  waitMs: config.SCHEMA_WAIT_SECONDS * 1000,
})

/** The zone in which times without an offset are read. */
export const timeZoneOf = (project: Project, config: Config): string =>
  config.TIME_ZONE ?? project.settings.timeZone ?? 'UTC'
