/**
 * Holds jobs and e-mails in a copy of a database, because the original sends those that wait in it. They
 * start when somebody declares that this database sends.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/load-config.ts'
import { untilAvailable } from '../database/connections/wait-for-database.ts'
import { isUnavailable } from '../database/database-errors.ts'
import { createPool } from '../database/pool.ts'
import { isSendingDatabase, makeSendingDatabase } from '../database/sending-database.ts'
import type { JobRunner } from '../jobs/run-jobs.ts'
import type { Observe } from '../observations.ts'

type Options = {
  readonly config: Pick<Config, 'DELIVERIES'>
  readonly connectionString: string
  readonly observe: Observe
}

const pollIntervalMs = 2_000

/** Starts the work immediately, or later when it is held. */
export const holdInCopy = async (
  options: Options,
  start: () => Promise<JobRunner>,
): Promise<JobRunner> => {
  if (await mayStart(options)) return start()
  const { config, observe } = options
  const isCopy = config.DELIVERIES !== 'hold'
  observe({ kind: 'deliveriesHeld', reason: isCopy ? copyReason : settingReason })
  const stop = new AbortController()
  const started = isCopy ? startOnceAccepted(options, start, stop.signal) : undefined
  // Nobody else handles the error, so the process must end, unless it is stopping.
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
