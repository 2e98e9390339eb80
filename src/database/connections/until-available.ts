/** Retries work of a start while the database is unavailable. */
import { setTimeout as delay } from 'node:timers/promises'
import { isUnavailable } from '../database-errors.ts'

const maxWaitMs = 60_000
const pauseMs = 250

/** Repeats the work until the database answers; throws other errors. */
export const untilAvailable = async <T>(work: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + maxWaitMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > deadline) throw error
      await delay(pauseMs)
    }
  }
}
