/**
 * Builds the part that works in the background: jobs, deliveries and periodic maintenance. In a copy of a database it
 * holds them, because the original sends those that wait in it; they start when a user declares that this database sends.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { BlobStore } from '../blobs/blob-store.ts'
import { blobReferences, sweepBlobs } from '../blobs/sweep-blobs.ts'
import { removeOldThumbnails } from '../blobs/thumbnails/thumbnails.ts'
import type { Config } from '../config/load-config.ts'
import { functionLimitsOf, functionVariables } from '../config/process-limits.ts'
import { createBatcher } from '../database/batcher.ts'
import { reportConnections } from '../database/connections/count-connections.ts'
import { untilAvailable } from '../database/connections/wait-for-database.ts'
import { isUnavailable } from '../database/database-errors.ts'
import { removeEndedRows, removeOldRows } from '../database/old-rows.ts'
import { createPool, type Pool } from '../database/pool.ts'
import { isSendingDatabase, makeSendingDatabase } from '../database/sending-database.ts'
import { findFunctions } from '../functions/find-functions.ts'
import { createProjectFunctions } from '../functions/project-functions.ts'
import { importHandler } from '../import/run-import.ts'
import { sweepImports } from '../import/run-list.ts'
import { keepMonthsAhead } from '../inbox/months.ts'
import { removeOldNotifications } from '../inbox/retention.ts'
import { returnSnoozed } from '../inbox/snooze.ts'
import { handleJob, type JobHandler } from '../jobs/job.ts'
import { type MaintenanceTask, scheduleMaintenance } from '../jobs/maintenance.ts'
import { type JobRunner, runJobs } from '../jobs/run-jobs.ts'
import { type AttachingDeps, attachDocumentsOf } from '../notify/attach-documents.ts'
import { forgetOldDates, sweepDates } from '../notify/due-dates.ts'
import { callHandler, createFunctionServices } from '../notify/function-calls.ts'
import { notifyTaskUsers } from '../notify/notify-task-users.ts'
import { sendNotificationsOf } from '../notify/send-notifications.ts'
import type { Observe } from '../observations.ts'
import { handleAskedCodes } from '../outbox/account-email.ts'
import { removeOldMailings } from '../outbox/channels.ts'
import { attachDocuments } from '../outbox/delivery.ts'
import { openSenders } from '../outbox/send-deliveries.ts'
import { forgetHandler } from '../personal-data/forget-job.ts'
import { applyRetention, type RetentionDeps } from '../personal-data/retention.ts'
import { handleMessage, sendNotifications } from '../records/write/change-events.ts'
import { removePartsOf } from '../tasks/remove-parts.ts'
import { notifyTask, sweepDueTasks } from '../tasks/task-messages.ts'
import { openPool } from './open-pools.ts'
import type { Runtime } from './open-runtime.ts'

type WorkerOptions = {
  /** Whether changed functions and e-mail templates are used immediately. */
  readonly watch: boolean
}

const secondMs = 1_000
const closeWithinMs = 1_000
const hourMs = 3_600_000
const dayMs = 86_400_000

/** Runs jobs in this thread until it is stopped; holds them in a copy of a database. */
export const createWorker = (runtime: Runtime, options: WorkerOptions): Promise<JobRunner> =>
  holdInCopy(runtime, () => startWork(runtime, options))

const startWork = async (runtime: Runtime, { watch }: WorkerOptions): Promise<JobRunner> => {
  const { config, project, connectionString, listener, observe, permissions, timeZone } = runtime
  const pools = openPools(runtime)
  const { jobs: pool } = pools
  const { catalog } = project
  const documents = runtime.documentsOn(pool)
  const { files } = await findFunctions(project.directory)
  const functions = createProjectFunctions({
    files,
    services: createFunctionServices(documents),
    observe,
    limits: functionLimitsOf(config),
    variables: functionVariables(),
    watch,
  })
  const batcher = createBatcher(pools.batches)
  const parts = {
    pool,
    catalog,
    permissions,
    timeZone,
    batcher,
    observe,
    functions,
    documents,
  }
  // Before the jobs, which wait until the database is available; this does not.
  const sender = await openSenders({
    config,
    pool: pools.emails,
    blobs: runtime.blobs,
    observe,
    watch,
    catalog,
    permissions,
    timeZone,
    listener,
  })
  await listener.start()
  const runner = await runJobs({
    connectionString,
    listener,
    handlers: handlersOf(parts),
    atOnce: config.JOBS_AT_ONCE,
    poolSize: config.JOBS_QUEUE_POOL_SIZE,
    graceMs: config.SHUTDOWN_GRACE_SECONDS * secondMs,
    observe,
  })
  const maintenance = scheduleMaintenance(observe, [
    { name: 'sweepDueTasks', intervalMs: 10 * secondMs, run: () => sweepDueTasks(pool) },
    { name: 'sweepDates', intervalMs: hourMs / 60, run: () => sweepDates(parts) },
    { name: 'returnSnoozed', intervalMs: hourMs / 60, run: () => returnSnoozed(pool) },
    { name: 'removeEndedRows', intervalMs: hourMs / 6, run: () => removeEndedRows(pool) },
    ...upkeepOfOldRows({ ...parts, blobs: runtime.blobs }, config),
  ])
  return {
    stop: async () => {
      const graceMs = config.SHUTDOWN_GRACE_SECONDS * secondMs
      const [unfinished] = await Promise.all([
        runner.stop(),
        sender.stop(graceMs),
        maintenance.stop(),
      ])
      // A job that did not end may still use its connection.
      const closed = Promise.all(Object.values(pools).map((one) => one.endWithin(closeWithinMs)))
      await Promise.all([functions.close(), closed])
      return unfinished
    },
  }
}

/** What is done with each kind of job. */
export const handlersOf = (parts: AttachingDeps): readonly JobHandler[] => [
  handleJob(sendNotifications, (message) => sendNotificationsOf(parts, message)),
  handleJob(notifyTask, (message) => notifyTaskUsers(parts, message)),
  handleJob(attachDocuments, (mailing, context) => attachDocumentsOf(parts, mailing, context)),
  handleJob(handleMessage, (message) => callHandler(parts, message)),
  forgetHandler(parts.pool),
  handleAskedCodes(parts.pool),
  importHandler({ ...parts, onRemoved: removePartsOf }),
]

type Kept = RetentionDeps & {
  readonly pool: Pool
  readonly observe: Observe
  readonly blobs: BlobStore
}

const upkeepOfOldRows = (kept: Kept, config: Config): readonly MaintenanceTask[] => {
  const { pool, observe, blobs } = kept
  const { NOTIFICATIONS_KEEP_DAYS: days, AUDIT_DAYS: auditDays } = config
  const files = { pool, blobs, keepDays: config.FILES_KEEP_DAYS, references: blobReferences }
  const daily = (name: string, run: MaintenanceTask['run']) => ({ name, intervalMs: dayMs, run })
  return [
    { name: 'sweepImports', intervalMs: hourMs / 60, run: () => sweepImports(pool) },
    { name: 'sweepBlobs', intervalMs: hourMs, run: (stopped) => sweepBlobs(files, stopped) },
    { name: 'keepMonthsAhead', intervalMs: hourMs, run: () => keepMonthsAhead(pool) },
    daily('removeOldNotifications', () => removeOldNotifications(pool, config)),
    daily('forgetOldDates', () => forgetOldDates(pool)),
    daily('removeOldThumbnails', () => removeOldThumbnails(pool)),
    daily('removeOldMailings', () => removeOldMailings(pool, days)),
    daily('removeOldAudit', () => removeOldRows(pool, 'audit', auditDays)),
    daily('applyRetention', (stopped) => applyRetention(pool, kept, observe, stopped)),
  ]
}

/** Separate from the pools of requests in the same process; their counts are reported to its metrics. */
const openPools = (runtime: Runtime) => {
  const { signaller } = runtime.listener
  const open = (name: 'jobs' | 'batches' | 'emails'): Pool => {
    const pool = openPool({ ...runtime, signaller }, name)
    reportConnections(name, pool, runtime.observe)
    return pool
  }
  return { jobs: open('jobs'), batches: open('batches'), emails: open('emails') }
}

type Options = {
  readonly config: Pick<Config, 'DELIVERIES'>
  readonly connectionString: string
  readonly observe: Observe
}

const pollIntervalMs = 2_000

/** Starts the work immediately, or later when it is held. */
const holdInCopy = async (
  options: Options,
  start: () => Promise<JobRunner>,
): Promise<JobRunner> => {
  if (await mayStart(options)) return start()
  const { config, observe } = options
  const isCopy = config.DELIVERIES !== 'hold'
  observe({ kind: 'deliveriesHeld', reason: isCopy ? copyReason : settingReason })
  const stop = new AbortController()
  const started = isCopy ? startOnceAccepted(options, start, stop.signal) : undefined
  // The error is handled nowhere else, so it must end the process, unless that is stopping.
  started?.catch((error) => {
    if (!stop.signal.aborted) throw error
  })
  return {
    stop: async () => {
      stop.abort()
      return (await (await started)?.stop()) ?? 0
    },
  }
}

const copyReason =
  'This database is a copy, or was restored: jobs and e-mails wait. "docket deliveries --accept-copy" lets it send.'
const settingReason = 'DELIVERIES=hold: jobs and e-mails wait.'

const mayStart = async (options: Options): Promise<boolean> => {
  if (options.config.DELIVERIES === 'hold') return false
  const { connectionString, observe } = options
  const pool = createPool({ connectionString, size: 1, observe })
  try {
    return await untilAvailable(async () => {
      if (options.config.DELIVERIES === 'send') await makeSendingDatabase(pool)
      return isSendingDatabase(pool)
    })
  } finally {
    await pool.end()
  }
}

const startOnceAccepted = async (
  { connectionString, observe }: Options,
  start: () => Promise<JobRunner>,
  stop: AbortSignal,
): Promise<JobRunner | undefined> => {
  const pool = createPool({ connectionString, size: 1, observe })
  try {
    while (!(await isAccepted(pool))) {
      await delay(pollIntervalMs, undefined, { signal: stop }).catch(() => undefined)
      if (stop.aborted) return undefined
    }
  } finally {
    await pool.end()
  }
  observe({ kind: 'deliveriesReleased' })
  return start()
}

const isAccepted = (pool: ReturnType<typeof createPool>): Promise<boolean> =>
  isSendingDatabase(pool).catch((error) => {
    // Unavailable: the next check asks again.
    if (isUnavailable(error)) return false
    throw error
  })
