/** Builds the part that works in the background: jobs, deliveries and periodic maintenance. */

import { removeEndedSessions } from '../auth/sessions/session-store.ts'
import { functionVariables } from '../config/function-variables.ts'
import type { Config } from '../config/load-config.ts'
import { functionLimitsOf } from '../config/process-limits.ts'
import { createBatcher } from '../database/batcher.ts'
import { reportConnections } from '../database/connections/count-connections.ts'
import type { Pool } from '../database/pool.ts'
import { forgetOldExports } from '../export/export-runs.ts'
import { findFunctions } from '../functions/find-functions.ts'
import { createProjectFunctions } from '../functions/project-functions.ts'
import { forgetOldKeys } from '../http/idempotency.ts'
import { keepMonthsAhead } from '../inbox/months/keep-months.ts'
import { removeOldNotifications } from '../inbox/retention.ts'
import { type MaintenanceTask, scheduleMaintenance } from '../jobs/maintenance.ts'
import { type JobRunner, runJobs } from '../jobs/run-jobs.ts'
import { createFunctionServices } from '../notify/function-calls.ts'
import { engineHandlers } from '../notify/jobs.ts'
import { removeOldMailings } from '../outbox/retention.ts'
import { openSenders } from '../outbox/sending/open-senders.ts'
import { sweepDueTasks } from '../tasks/task-messages.ts'
import { holdInCopy } from './hold-in-copy.ts'
import { openPool } from './open-pool.ts'
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
    handlers: [...engineHandlers(parts)],
    atOnce: config.JOBS_AT_ONCE,
    poolSize: config.JOBS_QUEUE_POOL_SIZE,
    graceMs: config.SHUTDOWN_GRACE_SECONDS * secondMs,
    observe,
  })
  const maintenance = scheduleMaintenance(observe, [
    { name: 'sweepDueTasks', intervalMs: 10 * secondMs, run: () => sweepDueTasks(pool) },
    { name: 'forgetOldExports', intervalMs: hourMs / 6, run: () => forgetOldExports(pool) },
    { name: 'removeEndedSessions', intervalMs: hourMs, run: () => removeEndedSessions(pool) },
    { name: 'forgetOldKeys', intervalMs: hourMs, run: () => forgetOldKeys(pool) },
    ...upkeepOfNotifications(pool, config),
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

const upkeepOfNotifications = (pool: Pool, config: Config): readonly MaintenanceTask[] => {
  const days = config.NOTIFICATIONS_KEEP_DAYS
  return [
    { name: 'keepMonthsAhead', intervalMs: hourMs, run: () => keepMonthsAhead(pool) },
    {
      name: 'removeOldNotifications',
      intervalMs: dayMs,
      run: () => removeOldNotifications(pool, config),
    },
    { name: 'removeOldMailings', intervalMs: dayMs, run: () => removeOldMailings(pool, days) },
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
