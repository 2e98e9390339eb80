/** Time limits for work that may never end. */
import { setTimeout as delay } from 'node:timers/promises'

/** Settles as the work does; rejects with the message if that takes longer. */
export const within = async <T>(ms: number, work: Promise<T>, message: string): Promise<T> => {
  const ended = new AbortController()
  const timeout = delay(ms, undefined, { signal: ended.signal }).then(() => {
    throw new Error(message)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    timeout.catch(() => undefined)
    ended.abort()
  }
}

/** Resolves when the work has ended, successfully or not, or when the time is over; it never rejects. */
export const settledWithin = (ms: number, work: Promise<unknown>): Promise<void> =>
  within(ms, work, 'timeout').then(
    () => undefined,
    () => undefined,
  )
