/** Waits for work that may not end, but not for ever. */
import { setTimeout as delay } from 'node:timers/promises'

/** Resolves when the work has ended, in whatever way, or when the time is over; it never rejects. */
export const settledWithin = async (ms: number, work: Promise<unknown>): Promise<void> => {
  const ended = new AbortController()
  const late = delay(ms, undefined, { signal: ended.signal })
  await Promise.race([work, late]).catch(() => undefined)
  late.catch(() => undefined)
  ended.abort()
}
