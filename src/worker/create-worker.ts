/** Builds the part that works behind the requests: jobs, and what is to be done from time to time. */
import { createPermissions } from '../auth/permissions.ts'
import { functionVariables } from '../config/function-variables.ts'
import type { Config } from '../config/load-config.ts'
import { createBatcher } from '../database/batcher.ts'
import { reportConnections } from '../database/connections/report-connections.ts'
import { createListener } from '../database/listen.ts'
import { createPool, type Pool } from '../database/pool.ts'
import type { Project } from '../definitions/load-project.ts'
import { removeOldMailings } from '../deliveries/retention.ts'
import { openSender } from '../deliveries/sending/open-sender.ts'
import { openDocuments } from '../documents/open-documents.ts'
import { findFunctions } from '../functions/find-functions.ts'
import { createProjectFunctions, maxDocumentBytes } from '../functions/project-functions.ts'
import { forgetOldKeys } from '../http/idempotency.ts'
import { repeat } from '../jobs/repeat.ts'
import { type JobRunner, runJobs } from '../jobs/run-jobs.ts'
import { removeOldNotifications } from '../notifications/inbox/retention.ts'
import { engineHandlers } from '../notifications/jobs/engine-jobs.ts'
import { createFunctionServices } from '../notifications/jobs/function-services.ts'
import type { Observe } from '../observations.ts'
import { timeZoneOf } from '../open-database.ts'
import { sweepDueTasks } from '../tasks/write/task-messages.ts'
import { holdInCopy } from './hold-in-copy.ts'

type WorkerOptions = {
  readonly config: Config
  readonly project: Project
  readonly connectionString: string
  readonly observe: Observe
  /** Whether changed functions and templates of e-mails are used at once. */
  readonly watch: boolean
}

const secondMs = 1_000
const closeWithinMs = 1_000
const hourMs = 3_600_000
const dayMs = 86_400_000

/** Runs jobs in this thread until it is stopped; in a copy of a database they wait. */
export const createWorker = (options: WorkerOptions): Promise<JobRunner> =>
  holdInCopy(options, () => beginWork(options))

const beginWork = async (options: WorkerOptions): Promise<JobRunner> => {
  const { config, project, connectionString, observe, watch } = options
  const pools = openPools(options)
  const { jobs: pool } = pools
  const { catalog } = project
  const permissions = createPermissions(catalog)
  const timeZone = timeZoneOf(project, config)
  const documents = openDocuments({ project, pool, timeZone, observe })
  const { files } = await findFunctions(project.directory)
  const functions = createProjectFunctions({
    files,
    services: createFunctionServices(documents),
    observe,
    maxBytes: maxDocumentBytes,
    variables: functionVariables(),
    watch,
  })
  const batcher = createBatcher(pools.batches)
  const parts = { pool, catalog, permissions, timeZone, batcher, observe, functions, documents }
  // Before the jobs, which wait for a database that is away: this does not.
  const listener = createListener({ connectionString, applicationName: 'docket worker listener' })
  const sender = await openSender({
    ...{ config, pool: pools.emails, listener, observe, watch },
    ...{ catalog, permissions },
  })
  await listener.start()
  const runner = await runJobs({
    connectionString,
    handlers: [...engineHandlers(parts)],
    atOnce: config.JOBS_AT_ONCE,
    poolSize: config.JOBS_QUEUE_POOL_SIZE,
    graceMs: config.SHUTDOWN_GRACE_SECONDS * secondMs,
    observe,
  })
  const maintenance = repeat(observe, [
    { name: 'sweepDueTasks', intervalMs: 10 * secondMs, run: () => sweepDueTasks(pool) },
    { name: 'forgetOldKeys', intervalMs: hourMs, run: () => forgetOldKeys(pool) },
    {
      name: 'removeOldNotifications',
      intervalMs: dayMs,
      run: () => removeOldNotifications(pool, config),
    },
    {
      name: 'removeOldMailings',
      intervalMs: dayMs,
      run: () => removeOldMailings(pool, config.NOTIFICATIONS_KEEP_DAYS),
    },
  ])
  return {
    stop: async () => {
      const graceMs = config.SHUTDOWN_GRACE_SECONDS * secondMs
      const [unfinished] = await Promise.all([
        runner.stop(),
        sender.stop(graceMs),
        maintenance.stop(),
      ])
      await listener.close()
      // A statement of a job that did not end may hold its connection.
      const closed = Promise.all(Object.values(pools).map((one) => one.endWithin(closeWithinMs)))
      await Promise.all([functions.close(), documents.close(), closed])
      return unfinished
    },
  }
}

/** A service in the same process keeps its connections for requests. */
const openPools = ({ config, connectionString, observe }: WorkerOptions) => {
  const open = (name: string, size: number, kind: 'jobs' | 'quick'): Pool => {
    const pool = createPool({ connectionString, size, work: { kind }, observe })
    reportConnections(name, pool, observe)
    return pool
  }
  return {
    jobs: open('jobs', config.JOBS_POOL_SIZE, 'jobs'),
    batches: open('batches', config.JOBS_BATCH_POOL_SIZE, 'quick'),
    emails: open('emails', config.EMAILS_POOL_SIZE, 'quick'),
  }
}
