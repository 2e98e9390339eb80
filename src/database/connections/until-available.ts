/** Work at a start that a database which is away for a moment holds up, and does not end. */
import { setTimeout as delay } from 'node:timers/promises'
import { isUnavailable } from '../database-errors.ts'

const patienceMs = 60_000
const pauseMs = 250

/** Does work that may be begun again, until the database answers; throws what else goes wrong. */
export const untilAvailable = async <T>(work: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > deadline) throw error
      await delay(pauseMs)
    }
  }
}
