/** The one place that builds every part of the service and hands it its needs. */
import { join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { definitionRoutes } from './api/definition-routes.ts'
import { docsRoutes } from './api/docs-page.ts'
import { operationRoutes } from './api/operation-routes.ts'
import { createAuthenticate } from './auth/authenticate.ts'
import { createCallerCache } from './auth/caller-cache.ts'
import { installCallerTriggers } from './auth/caller-change-store.ts'
import { assertLoopback, openDevelopmentIssuer } from './auth/development-issuer.ts'
import { createPermissions } from './auth/permissions.ts'
import { createRemoteKeySource } from './auth/remote-key-source.ts'
import { createVerifyToken } from './auth/verify-token.ts'
import { watchCallers } from './auth/watch-callers.ts'
import type { Config } from './config/load-config.ts'
import { startEmbedded } from './database/embedded.ts'
import { createPool, type Pool } from './database/pool.ts'
import type { Project } from './definitions/load-project.ts'
import { exportRoutes } from './export/routes.ts'
import { forgetOldKeys } from './http/idempotency.ts'
import { createServer, type Server } from './http/server.ts'
import type { Observe } from './observations.ts'
import { recordRoutes } from './records/routes.ts'
import { syncSchema } from './schema-sync/sync-schema.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { ensureAdministrator } from './users/ensure-administrator.ts'
import { ensureRoles } from './users/ensure-roles.ts'

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
  await ensureRoles(pool, catalog)
  await ensureAdministrator({ pool, email: config.ADMIN_EMAIL, observe })
  await installCallerTriggers(pool)
}

/** The zone in which times without an offset are read. */
export const timeZoneOf = (project: Project, config: Config): string =>
  config.TIME_ZONE ?? project.settings.timeZone ?? 'UTC'

export type Service = {
  readonly server: Server
  /** Ends requests within the grace time, then every connection; the database stays. */
  readonly stop: () => Promise<void>
}

type ServiceOptions = {
  readonly config: Config
  readonly project: Project
  readonly database: Database
  readonly observe: Observe
}

const hourMs = 3_600_000

/** Builds the service on a prepared database; the server does not listen yet. */
export const createService = async (options: ServiceOptions): Promise<Service> => {
  const { config, project, database } = options
  const { catalog } = project
  const { pool } = database
  const readUrl = config.DATABASE_REPLICA_URL
  const lost = options.observe
  const replica =
    readUrl === undefined
      ? undefined
      : createPool({ connectionString: readUrl, size: config.DATABASE_POOL_SIZE, observe: lost })
  const exportPool = createPool({
    connectionString: readUrl ?? database.connectionString,
    size: config.EXPORTS_AT_ONCE,
    observe: lost,
  })
  const metrics = createMetrics({
    requests: pool,
    exports: exportPool,
    ...(replica && { replica }),
  })
  const observe: Observe = (observation) => {
    options.observe(observation)
    metrics.observe(observation)
  }
  const permissions = createPermissions(catalog)
  const {
    authenticate,
    onWritten,
    close: closeCallers,
  } = await createCallers({ ...options, observe })
  const timeZone = timeZoneOf(project, config)
  const basePath = config.BASE_PATH
  const known = { catalog, permissions, authenticate, timeZone }
  let isStopping = false
  const server = createServer({
    basePath,
    bodyLimit: config.BODY_LIMIT_BYTES,
    observe,
    routes: [
      operationRoutes({ pool, metrics, isStopping: () => isStopping }),
      docsRoutes({ catalog, basePath, projectName: project.settings.name ?? 'Docket' }),
      definitionRoutes({ ...known, pool }),
      exportRoutes({ ...known, pool: exportPool, atOnce: config.EXPORTS_AT_ONCE, observe }),
      recordRoutes({ ...known, pool, readPool: replica ?? pool, basePath, onWritten }),
    ],
  })
  const tidying = setInterval(() => forgetOldKeys(pool).catch(() => undefined), hourMs).unref()
  return {
    server,
    stop: async () => {
      isStopping = true
      clearInterval(tidying)
      await closeServer(server, config.SHUTDOWN_GRACE_SECONDS * 1000)
      await closeCallers()
      await Promise.all([exportPool.end(), replica?.end()])
    },
  }
}

/** Who may come in: tokens of the issuer or the development issuer, and API keys. */
const createCallers = async ({ config, project, database, observe }: ServiceOptions) => {
  const { pool, connectionString } = database
  const callers = createCallerCache()
  const issuer = await openIssuer(config)
  const verify = createAuthenticate({
    pool,
    catalog: project.catalog,
    callers,
    verifyToken: createVerifyToken(issuer),
    provisionRole: config.AUTH_PROVISION_ROLE,
    observe,
  })
  // Last, because what can refuse to start comes before what must be closed again.
  const watch = await watchCallers({ connectionString, callers, observe })
  const ofCallers = new Set(['user', 'security_role'])
  return {
    authenticate: async (request: FastifyRequest) => {
      const caller = await verify(request.headers.authorization)
      request.userId = caller.userId
      return caller
    },
    onWritten: (entity: { key: string }) => {
      // Other processes hear of it from the database; this one must not answer before it forgot.
      if (ofCallers.has(entity.key)) callers.forget()
    },
    close: () => watch.close(),
  }
}

const openIssuer = async (config: Config) => {
  if (config.AUTH_ISSUER !== undefined && config.AUTH_AUDIENCE !== undefined)
    return {
      keys: createRemoteKeySource({ issuer: config.AUTH_ISSUER }),
      audience: config.AUTH_AUDIENCE,
    }
  assertLoopback(config.HOST)
  return openDevelopmentIssuer(config.PROJECT)
}

const closeServer = async (server: Server, graceMs: number) => {
  const closed = server.close()
  const late = setTimeout(() => server.server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(late)
}
