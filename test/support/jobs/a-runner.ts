/** Starts a runner of the test jobs in this process and collects its observations. */
import { createListener } from '../../../src/database/listener.ts'
import type { JobHandler } from '../../../src/jobs/job.ts'
import { runJobs } from '../../../src/jobs/run-jobs.ts'
import type { Observation } from '../../../src/observations.ts'
import { afterwards } from '../afterwards.ts'
import type { TestDatabase } from '../database.ts'
import { testHandlers } from '../test-jobs.ts'

type Options = {
  readonly handlers?: readonly JobHandler[]
  readonly atOnce?: number
  readonly graceMs?: number
}

export const startRunner = async (
  { connectionString, pool }: Pick<TestDatabase, 'connectionString' | 'pool'>,
  { handlers = testHandlers(pool), atOnce = 4, graceMs = 10_000 }: Options = {},
) => {
  const observations: Observation[] = []
  const observe = (observation: Observation) => observations.push(observation)
  const listener = createListener({ connectionString, applicationName: 'docket listener' })
  afterwards(listener.close)
  await listener.start()
  const runner = await runJobs({
    connectionString,
    listener,
    handlers,
    atOnce,
    poolSize: 4,
    graceMs,
    observe,
  })
  const of = <K extends Observation['kind']>(kind: K) =>
    observations.filter((one): one is Extract<Observation, { kind: K }> => one.kind === kind)
  return { ...runner, stop: afterwards(runner.stop), observations, of }
}
