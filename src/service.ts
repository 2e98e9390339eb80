/** The one place that builds every part of the service and hands it its needs. */
import { definitionRoutes } from './api/definition-routes.ts'
import { docsRoutes } from './api/docs-page.ts'
import { createHealth } from './api/health.ts'
import { jobRoutes } from './api/job-routes.ts'
import { describedFeatures } from './api/openapi/build-openapi.ts'
import { operationRoutes } from './api/operation-routes.ts'
import { rootRoutes } from './api/root-routes.ts'
import { createCallers } from './auth/callers/create-callers.ts'
import { takenCredentials, takesHostOf } from './auth/tokens/taken-credentials.ts'
import { mailFolder } from './config/email-transport.ts'
import type { Config } from './config/load-config.ts'
import { publicUrl, publicUrlOf } from './config/public-url.ts'
import { createListener } from './database/listen.ts'
import type { Pool } from './database/pool.ts'
import { attachmentRoutes } from './deliveries/attachments/attachment-routes.ts'
import { deliveryRoutes } from './deliveries/delivery-routes.ts'
import { countDeliveries } from './deliveries/delivery-store.ts'
import { emailFeature } from './deliveries/described-email.ts'
import { preferenceRoutes } from './deliveries/preferences/preference-routes.ts'
import { openSigner } from './deliveries/signed-token.ts'
import { documentFeature } from './documents/described-documents.ts'
import { documentRoutes } from './documents/routes.ts'
import { mailRoutes } from './email/mail-routes.ts'
import { exportRoutes } from './export/routes.ts'
import { createExportThreads } from './export/threads/export-threads.ts'
import { limitsOf } from './http/limits/server-limits.ts'
import { createServer, type Routes, type Server } from './http/server.ts'
import { countJobs } from './jobs/job-store.ts'
import { notificationFeature } from './notifications/inbox/described-notifications.ts'
import { notificationRoutes } from './notifications/inbox/routes.ts'
import { explainFeature } from './notifications/rules/described-engine.ts'
import { explainRoutes } from './notifications/rules/explain-routes.ts'
import { streamRoutes } from './notifications/stream/routes.ts'
import { watchNotifications } from './notifications/stream/watch-notifications.ts'
import { recordRoutes } from './records/routes.ts'
import { openPool } from './runtime/open-pool.ts'
import type { Runtime } from './runtime/open-runtime.ts'
import { taskFeature } from './tasks/described-tasks.ts'
import { ownTaskRoutes } from './tasks/own/own-routes.ts'
import { taskRoutes } from './tasks/routes.ts'
import { removeTasksOf, restoreTasksOf } from './tasks/write/remove-tasks.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { workflowFeature } from './workflow/described-workflow.ts'
import { workflowRoutes } from './workflow/routes.ts'

export type Service = {
  readonly server: Server
  /** Ends requests within the grace time, then its connections; the runtime stays open. */
  readonly stop: () => Promise<void>
}

type ServiceOptions = {
  /** The metrics and the health check subscribe to its hub. */
  readonly runtime: Runtime
  /** The pool of the process that the service runs in: its connections are counted. */
  readonly commands: Pool
}

const closeWithinMs = 1_000

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
  const { config, observe } = options.runtime
  const deps = await openParts(options)
  const { authenticate } = deps.callers
  let isStopping = false
  const server = createServer({
    basePath: config.BASE_PATH,
    bodyLimit: config.BODY_LIMIT_BYTES,
    limits: limitsOf(config),
    takesHost: takesHostOf(config),
    timeoutMs: config.REQUEST_TIMEOUT_SECONDS * 1000,
    observe,
    authenticate,
    routes: routesOf(options.runtime, deps, () => isStopping),
  })
  return {
    server,
    stop: async () => {
      isStopping = true
      await closeServer(server, config.SHUTDOWN_GRACE_SECONDS * 1000)
      await closeParts(deps)
    },
  }
}

type Deps = Awaited<ReturnType<typeof openParts>>

/** Whatever still runs after the grace time is cut. */
const closeParts = async ({ listener, watch, threads, pools }: Deps) => {
  await Promise.all([listener.close(), watch.close()])
  const closed = pools.map((pool) => pool.endWithin(closeWithinMs))
  await Promise.all([threads.stop(), ...closed])
}

/** Everything that the routes share and that is closed at the end. */
const openParts = async ({ runtime, commands }: ServiceOptions) => {
  const { config, project, connectionString, hub, observe } = runtime
  const { catalog } = project
  const pool = openPool(runtime, 'requests')
  const healthPool = openPool(runtime, 'health')
  const replicaUrl = config.DATABASE_REPLICA_URL
  const replica =
    replicaUrl === undefined
      ? undefined
      : openPool({ ...runtime, connectionString: replicaUrl }, 'replica')
  const listener = createListener({ connectionString, applicationName: 'docket listener' })
  // What can refuse to start comes before what must be closed again.
  const callers = await createCallers({ config, catalog, pool, listener, observe })
  const threads = createExportThreads({
    connectionString: replicaUrl ?? connectionString,
    atOnce: config.EXPORTS_AT_ONCE,
    limits: {
      timeoutSeconds: config.EXPORT_TIMEOUT_SECONDS,
      stallSeconds: config.EXPORT_STALL_SECONDS,
    },
    observe,
  })
  const counted = {
    ...{ requests: pool, exports: threads.connections, health: healthPool, commands },
    ...(replica && { replica }),
  }
  const metrics = createMetrics(
    counted,
    () => countJobs(pool),
    () => countDeliveries(pool),
  )
  const health = createHealth({ pool: healthPool, project })
  hub.subscribe(metrics.observe)
  hub.subscribe(health.observe)
  const watch = watchNotifications({ listener, pool, observe })
  const signer = await openSigner(pool)
  const documents = runtime.documentsOn(pool)
  await listener.start()
  const pools = [pool, healthPool, ...(replica ? [replica] : [])]
  const shared = { pool, replica, callers, threads, metrics, health, watch, signer, listener }
  return { ...shared, documents, pools }
}

const routesOf = (
  { config, project, observe, permissions, timeZone }: Runtime,
  { pool, callers, replica, threads, metrics, health, watch, signer, documents }: Deps,
  isStopping: () => boolean,
): readonly Routes[] => {
  const { catalog, settings } = project
  const { authenticate, onWritten } = callers
  const basePath = config.BASE_PATH
  const { name: projectName = 'Docket', locale = 'en' } = settings
  const known = {
    pool,
    catalog,
    permissions,
    timeZone,
    basePath,
  }
  const records = {
    ...known,
    readPool: replica ?? pool,
    onWritten,
    onRemoved: removeTasksOf,
    onRestored: restoreTasksOf,
  }
  return [
    rootRoutes({ basePath, projectName }),
    operationRoutes({ health, metrics, isStopping, metricsFor: metricsFor(config) }),
    docsRoutes({
      publicUrl: publicUrl(config),
      ...{ catalog, basePath, projectName, features },
      permissions: known.permissions,
    }),
    definitionRoutes(known),
    jobRoutes(known),
    exportRoutes({ ...known, threads, stallMs: config.EXPORT_STALL_SECONDS * 1000, observe }),
    recordRoutes(records),
    workflowRoutes(records),
    taskRoutes(records),
    ownTaskRoutes({
      ...records,
      projectName,
      publicUrl: (port) => publicUrlOf(config, port),
    }),
    explainRoutes({ ...known, locale }),
    preferenceRoutes({ ...known, signer }),
    deliveryRoutes(known),
    documentRoutes({ ...known, ...documents }),
    attachmentRoutes({ ...known, signer }),
    mailRoutes({
      ...known,
      folder: config.EMAIL_PROVIDER === 'file' ? mailFolder(config.PROJECT) : undefined,
    }),
    notificationRoutes({ ...known, locale }),
    streamRoutes({ ...known, authenticate, locale, watch }),
  ]
}

const metricsFor = (config: Config) => {
  if (config.METRICS_TOKEN !== undefined) return { token: config.METRICS_TOKEN }
  return takenCredentials(config) === 'development' ? 'everybody' : 'administrators'
}

const closeServer = async (server: Server, graceMs: number) => {
  const closed = server.close()
  const late = setTimeout(() => server.server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(late)
}
