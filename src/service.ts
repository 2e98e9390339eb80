/** The one place that builds every part of the service and hands it its needs. */
import { definitionRoutes } from './api/definition-routes.ts'
import { docsRoutes } from './api/docs-page.ts'
import { jobRoutes } from './api/job-routes.ts'
import { describedFeatures } from './api/openapi/build-openapi.ts'
import { operationRoutes } from './api/operation-routes.ts'
import { createCallers } from './auth/create-callers.ts'
import { createPermissions } from './auth/permissions.ts'
import type { Config } from './config/load-config.ts'
import { createPool } from './database/pool.ts'
import type { Project } from './definitions/load-project.ts'
import { documentFeature } from './documents/described-documents.ts'
import { openDocuments } from './documents/open-documents.ts'
import { documentRoutes } from './documents/routes.ts'
import { attachmentRoutes } from './email/attachment-routes.ts'
import { deliveryRoutes } from './email/delivery-routes.ts'
import { countDeliveries } from './email/delivery-store.ts'
import { emailFeature } from './email/described-email.ts'
import { mailRoutes } from './email/mail-routes.ts'
import { preferenceRoutes } from './email/preference-routes.ts'
import { mailFolder } from './email/providers/open-provider.ts'
import { openSigner } from './email/signed-token.ts'
import { createExportThreads } from './export/export-threads.ts'
import { exportRoutes } from './export/routes.ts'
import { forgetOldKeys } from './http/idempotency.ts'
import { createServer, type Routes, type Server } from './http/server.ts'
import { countJobs } from './jobs/job-store.ts'
import { explainFeature } from './notifications/described-engine.ts'
import { notificationFeature } from './notifications/described-notifications.ts'
import { explainRoutes } from './notifications/explain-routes.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { watchNotifications } from './notifications/watch-notifications.ts'
import type { Observe } from './observations.ts'
import { type Database, timeZoneOf } from './open-database.ts'
import { recordRoutes } from './records/routes.ts'
import { taskFeature } from './tasks/described-tasks.ts'
import { ownTaskRoutes } from './tasks/own-routes.ts'
import { removeTasksOf } from './tasks/remove-tasks.ts'
import { taskRoutes } from './tasks/routes.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { workflowFeature } from './workflow/described-workflow.ts'
import { workflowRoutes } from './workflow/routes.ts'

export type Service = {
  readonly server: Server
  /** Tells the log and the metrics. */
  readonly observe: Observe
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

// What the API page describes.
const features = [
  ...describedFeatures,
  workflowFeature,
  taskFeature,
  notificationFeature,
  explainFeature,
  emailFeature,
  documentFeature,
]

/** Builds the service on a prepared database; the server does not listen yet. */
export const createService = async (options: ServiceOptions): Promise<Service> => {
  const { config, database } = options
  const parts = await openParts(options)
  const { callers, watch, threads, replica, documents, observe } = parts
  let isStopping = false
  const server = createServer({
    basePath: config.BASE_PATH,
    bodyLimit: config.BODY_LIMIT_BYTES,
    observe,
    routes: routesOf(options, parts, () => isStopping),
  })
  const { pool } = database
  const tidying = setInterval(() => forgetOldKeys(pool).catch(() => undefined), hourMs).unref()
  return {
    server,
    observe,
    stop: async () => {
      isStopping = true
      clearInterval(tidying)
      await closeServer(server, config.SHUTDOWN_GRACE_SECONDS * 1000)
      await Promise.all([callers.close(), watch.close()])
      await Promise.all([threads.stop(), documents.close(), replica?.end()])
    },
  }
}

type Parts = Awaited<ReturnType<typeof openParts>>

/** Everything that the routes share and that is closed at the end. */
const openParts = async (options: ServiceOptions) => {
  const { config, project, database } = options
  const { catalog } = project
  const { pool, connectionString } = database
  const lost = options.observe
  // What can refuse to start comes before what must be closed again.
  const callers = await createCallers({ config, catalog, pool, connectionString, observe: lost })
  const readUrl = config.DATABASE_REPLICA_URL
  const size = config.DATABASE_POOL_SIZE
  const replica =
    readUrl === undefined
      ? undefined
      : createPool({ connectionString: readUrl, size, observe: lost })
  const threads = createExportThreads({
    connectionString: readUrl ?? connectionString,
    atOnce: config.EXPORTS_AT_ONCE,
    observe: lost,
  })
  const pools = { requests: pool, exports: threads.connections, ...(replica && { replica }) }
  const metrics = createMetrics(
    pools,
    () => countJobs(pool),
    () => countDeliveries(pool),
  )
  const observe: Observe = (observation) => {
    options.observe(observation)
    metrics.observe(observation)
  }
  const watch = await watchNotifications({ ...database, observe })
  const signer = await openSigner(pool)
  const timeZone = timeZoneOf(project, config)
  const documents = openDocuments({ project, pool, timeZone, observe })
  return { callers, replica, threads, metrics, observe, watch, signer, documents }
}

const routesOf = (
  { config, project, database }: ServiceOptions,
  { callers, replica, threads, metrics, observe, watch, signer, documents }: Parts,
  isStopping: () => boolean,
): readonly Routes[] => {
  const { catalog, settings } = project
  const { pool } = database
  const { authenticate, onWritten } = callers
  const basePath = config.BASE_PATH
  const projectName = settings.name ?? 'Docket'
  const known = {
    pool,
    catalog,
    permissions: createPermissions(catalog),
    authenticate,
    timeZone: timeZoneOf(project, config),
    basePath,
  }
  const records = { ...known, readPool: replica ?? pool, onWritten, onRemoved: removeTasksOf }
  return [
    operationRoutes({ pool, metrics, isStopping }),
    docsRoutes({
      ...{ catalog, basePath, projectName, features },
      // The development issuer is for one machine alone; where a real one is, strangers come by.
      ...(config.AUTH_ISSUER !== undefined && { authenticate }),
    }),
    definitionRoutes(known),
    jobRoutes(known),
    exportRoutes({ ...known, threads, observe }),
    recordRoutes(records),
    workflowRoutes(records),
    taskRoutes(records),
    ownTaskRoutes({ ...records, projectName }),
    explainRoutes({ ...known, locale: settings.locale ?? 'en' }),
    preferenceRoutes({ ...known, signer }),
    deliveryRoutes(known),
    documentRoutes({ ...known, ...documents }),
    attachmentRoutes({ ...known, signer }),
    mailRoutes({
      ...known,
      folder: config.EMAIL_PROVIDER === 'file' ? mailFolder(config.PROJECT) : undefined,
    }),
    notificationRoutes({ ...known, locale: settings.locale ?? 'en', watch }),
  ]
}

const closeServer = async (server: Server, graceMs: number) => {
  const closed = server.close()
  const late = setTimeout(() => server.server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(late)
}
