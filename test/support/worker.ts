/** The worker of a test service: runs jobs as `docket start` does, until none is left. */
import { functionLimitsOf } from '../../src/config/process-limits.ts'
import { createBatcher } from '../../src/database/batcher.ts'
import { createPool } from '../../src/database/pool.ts'
import { findFunctions } from '../../src/functions/find-functions.ts'
import { createProjectFunctions } from '../../src/functions/project-functions.ts'
import { runJobs } from '../../src/jobs/run-jobs.ts'
import { createFunctionServices } from '../../src/notify/function-calls.ts'
import type { Observation } from '../../src/observations.ts'
import { handlersOf } from '../../src/runtime/create-worker.ts'
import { afterwards } from './afterwards.ts'
import { collectObservations } from './observed.ts'
import type { TestService } from './service.ts'
import { until } from './wait.ts'

export type TestWorker = {
  readonly observations: readonly Observation[]
  /** Resolves when no job waits or runs, except failed ones that wait for their next attempt. */
  readonly settled: () => Promise<unknown>
  readonly stop: () => Promise<void>
}

/** Starts a worker on the database of a service. */
export const startTestWorker = async (service: TestService): Promise<TestWorker> => {
  const { database, project } = service
  const { pool, connectionString } = database
  const { catalog, directory } = project
  const { observations, observe, assertNoFault } = collectObservations()
  const { permissions, timeZone } = service.runtime
  const documents = { ...service.runtime.documentsOn(pool), observe }
  const { files } = await findFunctions(directory)
  const functions = createProjectFunctions({
    files,
    services: createFunctionServices(documents),
    observe,
    limits: functionLimitsOf(service.config),
    watch: false,
  })
  const quickPool = createPool({ connectionString, size: 2, work: { kind: 'quick' }, observe })
  const batcher = createBatcher(quickPool)
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
  const runner = await runJobs({
    connectionString,
    listener: service.runtime.listener,
    handlers: handlersOf(parts),
    atOnce: 4,
    poolSize: 4,
    graceMs: 5_000,
    observe,
  })
  const isIdle = async () => {
    const { rows } = await pool.query(
      `SELECT FROM docket.job WHERE tries = 0 OR status = 'running'`,
    )
    return rows.length === 0
  }
  return {
    observations,
    settled: () => until('no job waits', isIdle),
    stop: afterwards(async () => {
      await runner.stop()
      await Promise.all([functions.close(), quickPool.end()])
      assertNoFault()
    }),
  }
}
