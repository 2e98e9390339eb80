/** Builds the service: its pools, threads, caches and endpoints. */
import { setTimeout as delay } from 'node:timers/promises'
import { readConsoleFiles } from '../api/console/console-files.ts'
import { createDocs } from '../api/docs-page.ts'
import { type ApiDeps, mountSections, sections } from '../api/sections.ts'
import { createHealth } from '../api/service-endpoints.ts'
import { callerChangedChannel } from '../auth/callers/caller-change-store.ts'
import { createCallers } from '../auth/callers/create-callers.ts'
import { createCookies } from '../auth/sessions/cookies.ts'
import {
  acceptedCredentials,
  hostCheckOf,
  offeredSignInWays,
  sendsEmail,
} from '../auth/sign-in-ways.ts'
import { requireStore } from '../blobs/blob-store.ts'
import { createThumbnailMaker } from '../blobs/thumbnails/thumbnail-maker.ts'
import { createThumbnails } from '../blobs/thumbnails/thumbnails.ts'
import { mailFolder } from '../config/email-transport.ts'
import { type Config, publicUrl, publicUrlOf } from '../config/load-config.ts'
import { exportConnections } from '../config/process-limits.ts'
import { sumOfCounts } from '../database/connections/count-connections.ts'
import type { Listener } from '../database/listener.ts'
import { createPool, type Pool } from '../database/pool.ts'
import type { Replicas } from '../database/replicas/replicas.ts'
import { stripsLocations } from '../definitions/files.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import { createLanguages } from '../definitions/translations/languages.ts'
import { createExportRuns } from '../export/export-runs.ts'
import { createExportThreads } from '../export/export-threads.ts'
import { answerPositions, readPositions } from '../http/carry-positions.ts'
import { limitsOf } from '../http/limits/server-limits.ts'
import { createServer, type Server } from '../http/server.ts'
import { createFileReads } from '../import/read-file.ts'
import { openHub } from '../inbox/live/hub.ts'
import { countJobs } from '../jobs/job-store.ts'
import { createComposers } from '../outbox/channels.ts'
import { countDeliveries } from '../outbox/delivery-list.ts'
import { openSigner } from '../outbox/signed-token.ts'
import { createPurge } from '../personal-data/purge.ts'
import { createBindInvited, createBindUser } from '../records/bind-user.ts'
import { removePartsOf, restorePartsOf } from '../tasks/remove-parts.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { readOperations } from '../telemetry/operation-metrics.ts'
import { createUploads } from '../uploads/receive-uploads.ts'
import { addressesOf, openPool, openReplicas } from './open-pools.ts'
import type { Runtime } from './open-runtime.ts'

const poolCounts = ['totalCount', 'idleCount', 'waitingCount', 'waitedMs'] as const

export type Service = {
  readonly server: Server
  /** Starts what would start with the first export otherwise. */
  readonly startThreads: () => void
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

/** Builds the service on a prepared database; the server does not listen yet. */
export const createService = async (options: ServiceOptions): Promise<Service> => {
  const { config, observe } = options.runtime
  await requireStore(options.runtime.blobs)
  const deps = await openDeps(options)
  const { authenticate } = deps.callers
  let isStopping = false
  const server = createServer({
    basePath: config.BASE_PATH,
    bodyLimit: config.BODY_LIMIT_BYTES,
    limits: limitsOf(config),
    takesHost: hostCheckOf(config),
    origins: config.CORS_ORIGINS,
    timeoutMs: config.REQUEST_TIMEOUT_SECONDS * 1000,
    observe,
    authenticate,
    mount: (scope) =>
      mountSections(
        scope,
        apiDeps(options.runtime, deps, () => isStopping),
      ),
  })
  const { replicas } = deps.reading
  const cookies = createCookies(config)
  readPositions(server, cookies)
  if (replicas)
    answerPositions(server, {
      afterWrite: replicas.afterWrite,
      cookies,
      seconds: config.DATABASE_REPLICA_LAG_SECONDS + 1,
    })
  server.addHook('onSend', async (_request, reply) => {
    // A balancer opens its next connection to another process.
    if (isStopping) reply.header('Connection', 'close')
  })
  server.addHook('preClose', async () => deps.live.endStreams())
  return {
    server,
    startThreads: deps.threads.startFirst,
    stop: async () => {
      isStopping = true
      await drain(deps, config.DRAIN_SECONDS * 1000)
      await closeServer(server, config.SHUTDOWN_GRACE_SECONDS * 1000)
      await closeDeps(deps)
    },
  }
}

/** Requests are answered meanwhile, and streams end one by one, so that their clients do not reconnect all at once. */
const drain = async ({ live }: Deps, ms: number): Promise<void> => {
  if (ms === 0) return
  live.endStreamsWithin(ms)
  await delay(ms)
}

type Deps = Awaited<ReturnType<typeof openDeps>>

/** Call it after the grace time: what still runs is cut. */
const closeDeps = async ({ live, threads, reading, pools, fileReads, thumbnails }: Deps) => {
  const readers = [reading.replicas?.close(), fileReads.stop(), thumbnails.close()]
  await Promise.all([live.close(), ...readers])
  const closed = pools.map((pool) => pool.endWithin(closeWithinMs))
  await Promise.all([threads.stop(), ...closed])
}

/** Opens everything that the endpoints share. */
const openDeps = async ({ runtime, commands }: ServiceOptions) => {
  const { config, project, hub, listener, observe, timeZone } = runtime
  const { catalog } = project
  const pool = openPool({ ...runtime, signaller: listener.signaller }, 'requests')
  const healthPool = openPool(runtime, 'health')
  const reading = openReplicas(runtime, pool)
  const { replicas } = reading
  if (replicas) watchRights(listener, replicas)
  const signer = await openSigner(pool)
  const ways = offeredSignInWays(config, project.settings)
  const callers = await createCallers({
    config,
    ways,
    catalog,
    timeZone,
    pool,
    listener,
    observe,
    createBindUser,
    signer,
    secondFactorFor: project.settings.signIn?.secondFactorFor ?? [],
    bindInvited: createBindInvited(pool, catalog),
  })
  const threads = openExportThreads(runtime)
  const counted = {
    requests: pool,
    exports: threads.connections,
    health: healthPool,
    commands,
    ...(replicas && { replica: sumOfCounts(poolCounts, () => reading.readPools) }),
  }
  const runs = createExportRuns(pool, observe)
  const fileReads = openFileReads(runtime)
  const live = openHub({ ...runtime, catalog, pool, settled: reading.settled })
  const metrics = createMetrics({
    pools: counted,
    countJobs: () => countJobs(pool),
    countDeliveries: () => countDeliveries(pool),
    ...(replicas && { replicas: { states: replicas.states, reads: reading.counts } }),
    watched: {
      readOperations: () => readOperations(pool),
      countStreams: live.count,
      isListening: listener.isListening,
    },
  })
  const health = createHealth({ pool: healthPool, project })
  hub.subscribe(metrics.observe)
  hub.subscribe(health.observe)
  const documents = runtime.documentsOn(pool)
  await Promise.all([listener.start(), replicas?.start()])
  const pools = [pool, healthPool, ...reading.pools]
  const shared = {
    pool,
    reading,
    ways,
    callers,
    threads,
    runs,
    fileReads,
    ...openFiles(runtime, pool),
    metrics,
    health,
    signer,
    listener,
  }
  return { ...shared, live, documents, pools }
}

const openExportThreads = (runtime: Runtime) => {
  const { config, observe } = runtime
  const { shared, exports } = addressesOf(runtime)
  return createExportThreads({
    servers: [shared, ...exports],
    ...exportConnections(config),
    limits: {
      timeoutSeconds: config.EXPORT_TIMEOUT_SECONDS,
      stallSeconds: config.EXPORT_STALL_SECONDS,
    },
    observe,
  })
}

const openFileReads = (runtime: Runtime) => {
  const { listener, observe, config } = runtime
  // A large file takes long, as a command does.
  const settings = { size: 2, observe, signaller: listener.signaller }
  return createFileReads({
    openPool: () => createPool({ ...addressesOf(runtime).direct, ...settings }),
    observe,
    limitBytes: config.IMPORT_LIMIT_BYTES,
  })
}

const openFiles = ({ config, blobs, project }: Runtime, pool: Pool) => ({
  uploads: createUploads({
    pool,
    blobs,
    stripsLocations: stripsLocations(project.catalog),
    maxBytes: config.FILES_MAX_BYTES,
    scanner: config.FILES_SCAN,
    most: { ofCaller: config.FILES_USER_BYTES, ofAll: config.FILES_TOTAL_BYTES },
  }),
  thumbnails: createThumbnails({ pool, maker: createThumbnailMaker(blobs) }),
})

/** What conditions of reading compare with is never older than its last change that this process knows of. */
const watchRights = (listener: Listener, { requireAll }: Replicas): void => {
  listener.subscribe({
    channels: {
      [callerChangedChannel]: (table) => {
        if (nativeEntity({ key: table }).decidesReading) void requireAll()
      },
    },
    // What has changed meanwhile is not known.
    onListening: () => void requireAll(),
  })
}

/** What the endpoints need. */
const apiDeps = (
  { config, project, observe, permissions, timeZone, blobs }: Runtime,
  { reading, callers, documents, ...shared }: Deps,
  isStopping: () => boolean,
): ApiDeps => {
  const { catalog, settings } = project
  const basePath = config.BASE_PATH
  const { name: projectName = 'Docket', locale = 'en', firstDayOfWeek } = settings
  const basics = { catalog, permissions, timeZone, basePath, projectName }
  return {
    ...shared,
    ...basics,
    ...documents,
    blobs,
    locale,
    firstDayOfWeek,
    observe,
    isStopping,
    languages: createLanguages(project),
    composers: createComposers({ ...basics, config, blobs, pool: shared.pool, watch: false }),
    read: reading.read,
    exportTargets: reading.exportTargets,
    onWritten: (entity) => {
      callers.onWritten(entity)
      // Other processes are notified; this one must know before it answers.
      if (nativeEntity(entity).decidesReading) void reading.replicas?.requireAll()
    },
    onRemoved: removePartsOf,
    onRestored: restorePartsOf,
    purge: createPurge(removePartsOf),
    authenticate: callers.authenticate,
    sessions: callers.sessions,
    signIn: callers.signIn,
    codes: callers.codes,
    passwords: callers.passwords,
    ...callers.credentials,
    issuerSignIn: callers.issuerSignIn,
    metricsFor: metricsFor(config),
    consoleFiles: readConsoleFiles(basePath, projectName),
    signInBy: signInBy(config),
    sendsEmail: sendsEmail(config),
    docs: createDocs({ ...basics, sections, publicUrl: publicUrl(config) }),
    addressAt: (port) => publicUrlOf(config, port),
    stallMs: config.EXPORT_STALL_SECONDS * 1000,
    mailFolder: config.EMAIL_PROVIDER === 'file' ? mailFolder(config.PROJECT) : undefined,
  }
}

const metricsFor = (config: Config) => {
  if (config.METRICS_TOKEN !== undefined) return { token: config.METRICS_TOKEN }
  return acceptedCredentials(config) === 'development' ? 'everybody' : 'administrators'
}

const closeServer = async (server: Server, graceMs: number) => {
  const closed = server.close()
  const cut = setTimeout(() => server.server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(cut)
}

/** Without a client of the issuer no user can sign in by a page. */
const signInBy = (config: Config) => {
  const accepted = acceptedCredentials(config)
  return accepted === 'issuer' && config.AUTH_CLIENT_ID === undefined ? 'keys' : accepted
}
