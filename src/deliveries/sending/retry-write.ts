/** Records what became of a delivery, also where the database is away for a while. */
import { setTimeout as delay } from 'node:timers/promises'
import { isUnavailable } from '../../database/database-errors.ts'
import { pauseAfter, writeRetries } from '../../retry-policy.ts'

// A statement that a database refuses although it answers is not taken later either.
const maxRejections = 5

/**
 * Does the work until it succeeds, at least once; throws its error when it is refused repeatedly, or
 * once `cut` is aborted. `onFailure` is called for the first failure.
 */
export const retryWrite = async (
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
