/**
 * Holds jobs and e-mails in a copy of a database: what waits in it was, or will be, sent from the one it
 * was copied from. They begin as soon as somebody says that this one sends.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/load-config.ts'
import { untilAvailable } from '../database/connections/until-available.ts'
import { isUnavailable } from '../database/database-errors.ts'
import { isSendingDatabase, makeSendingDatabase } from '../database/locks/sending-database.ts'
import { createPool } from '../database/pool.ts'
import type { JobRunner } from '../jobs/run-jobs.ts'
import type { Observe } from '../observations.ts'

type Options = {
  readonly config: Pick<Config, 'DELIVERIES'>
  readonly connectionString: string
  readonly observe: Observe
}

const lookEveryMs = 2_000

/** Begins the work at once, or, where it is held, when it may begin. */
export const holdInCopy = async (
  options: Options,
  begin: () => Promise<JobRunner>,
): Promise<JobRunner> => {
  if (await mayWork(options)) return begin()
  const { config, observe } = options
  const isCopy = config.DELIVERIES !== 'hold'
  observe({ kind: 'deliveriesHeld', reason: isCopy ? copyReason : settingReason })
  const stop = new AbortController()
  const begun = isCopy ? beginOnceAccepted(options, begin, stop.signal) : undefined
  // Told by the stop, or else by nobody: the process is to end then.
  begun?.catch((error) => {
    if (!stop.signal.aborted) throw error
  })
  return {
    stop: async () => {
      stop.abort()
      return (await (await begun)?.stop()) ?? 0
    },
  }
}

const copyReason =
  'This database is a copy, or was restored: jobs and e-mails wait. "docket deliveries --accept-copy" lets it send.'
const settingReason = 'DELIVERIES=hold: jobs and e-mails wait.'

const mayWork = async (options: Options): Promise<boolean> => {
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

const beginOnceAccepted = async (
  { connectionString, observe }: Options,
  begin: () => Promise<JobRunner>,
  stop: AbortSignal,
): Promise<JobRunner | undefined> => {
  const pool = createPool({ connectionString, size: 1, observe })
  try {
    while (!(await isAccepted(pool))) {
      await delay(lookEveryMs, undefined, { signal: stop }).catch(() => undefined)
      if (stop.aborted) return undefined
    }
  } finally {
    await pool.end()
  }
  observe({ kind: 'deliveriesReleased' })
  return begin()
}

const isAccepted = (pool: ReturnType<typeof createPool>): Promise<boolean> =>
  isSendingDatabase(pool).catch((error) => {
    // Away for now: it is asked again.
    if (isUnavailable(error)) return false
    throw error
  })
