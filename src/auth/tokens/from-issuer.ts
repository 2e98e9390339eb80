/** What is fetched from an OpenID Connect issuer: renewed in the background, and kept while the issuer is unavailable. */
import { shareRun } from '../../limit.ts'

type Options<T> = {
  readonly load: () => Promise<T>
  /** The error of all who ask until the next attempt. */
  readonly failedBy: (cause: unknown) => Error
  readonly now?: (() => number) | undefined
}

type FromIssuer<T> = {
  /** What is known; only where nothing is, the issuer is asked meanwhile. */
  readonly current: () => Promise<T>
  /** What is newer than this; undefined if the issuer was asked a moment ago. */
  readonly newerThan: (tried: T) => Promise<T | undefined>
}

const renewAfterMs = 10 * 60_000
export const retryAfterMs = 2_000
export const answerWithinMs = 5_000
// Tokens with invented key names must not make the service query the issuer more often than this.
const pauseMs = 5_000

/** Nothing is fetched before it is asked for. Requests meanwhile must not make the service ask the issuer each time. */
export const createFromIssuer = <T>({
  load,
  failedBy,
  now = Date.now,
}: Options<T>): FromIssuer<T> => {
  let known: T | undefined
  let failure: Error | undefined
  let isLoading = false
  let triedAt = Number.NEGATIVE_INFINITY
  const wasTriedWithin = (ms: number) => now() - triedAt < ms

  const renew = shareRun(async () => {
    triedAt = now()
    isLoading = true
    try {
      known = await load()
      failure = undefined
      return known
    } catch (error) {
      failure = failedBy(error)
      throw failure
    } finally {
      isLoading = false
    }
  })

  return {
    current: async () => {
      if (known === undefined) {
        if (failure && wasTriedWithin(retryAfterMs)) throw failure
        return renew()
      }
      // After an error the next use tries again.
      if (!wasTriedWithin(failure ? retryAfterMs : renewAfterMs)) renew().catch(() => undefined)
      return known
    },
    newerThan: async (tried) => {
      if (known !== undefined && known !== tried) return known
      if (isLoading || !wasTriedWithin(pauseMs)) return renew()
      if (failure) throw failure
      return undefined
    },
  }
}
