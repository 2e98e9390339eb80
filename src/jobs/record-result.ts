/** Records the result of an attempt, also if the database is unavailable for a while. */
import { setTimeout as delay } from 'node:timers/promises'
import { isUnavailable } from '../database/database-errors.ts'
import { pauseAfter, writeRetries } from '../retry-policy.ts'

// A statement that the database rejects will not be accepted later either.
const maxRejections = 5

/**
 * Repeats the work until it succeeds, at least once; throws its error when it is rejected repeatedly, or
 * after `cut` is aborted. `onFailure` is called for the first failure.
 */
export const recordResult = async (
  work: () => Promise<unknown>,
  cut: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> => {
  let rejections = 0
  for (let failures = 1; ; failures++)
    try {
      await work()
      return
    } catch (error) {
      if (failures === 1) onFailure(error)
      if (!isUnavailable(error)) rejections++
      if (cut.aborted || rejections === maxRejections) throw error
      await delay(pauseAfter(writeRetries, failures), undefined, { signal: cut }).catch(
        () => undefined,
      )
    }
}
