/** Requests that wait for their answer: files that are received give way to them. */
import { setTimeout as delay } from 'node:timers/promises'

const waiting = new Set<object>()
let lastMs = Number.NEGATIVE_INFINITY

/** The request waits, until `endWaiting` of it. */
export const beginWaiting = (request: object): void => {
  waiting.add(request)
  lastMs = performance.now()
}

/** Its answer begins, or its client has left. It may be called twice. */
export const endWaiting = (request: object): void => {
  waiting.delete(request)
}

/** So long after a request, others are expected. */
const expectedMs = 1000
/** Each takes a millisecond. No more, so that a file also comes in when requests take long. */
const mostRests = 5

/**
 * Called between the pieces of a file. It resolves at once when no request came lately; else after a millisecond, in which the next one
 * and the database that it asks find the processors free, and when none waits, or after some milliseconds.
 */
export const giveWay = async (): Promise<void> => {
  if (performance.now() - lastMs > expectedMs) return
  let rests = 0
  do await delay(1)
  while (waiting.size > 0 && ++rests < mostRests)
}
