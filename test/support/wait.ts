/** How tests wait: for a state instead of a time, always with a timeout that names the state. */
import { setTimeout as delay } from 'node:timers/promises'

// Long enough for a machine with ten times the load. A test file has 600 seconds in total.
const maxSeconds = 100

/** Looks are work, often of a service: they become fewer the longer the wait lasts, which that prolongs by an eighth at most. */
const pauseAfter = (ms: number): number => Math.min(50, Math.max(10, ms / 8))

type Check<T> = () => T | false | undefined | Promise<T | false | undefined>

/**
 * Calls `check` until it returns something other than false and undefined, and returns that. Throws
 * after a timeout, with `what` or else with the source of `check` in the message.
 */
export const until = async <T>(
  ...args: readonly [what: string, check: Check<T>, seconds?: number] | readonly [check: Check<T>]
): Promise<T> => {
  const [what, check, seconds = maxSeconds] = args.length === 1 ? [String(args[0]), args[0]] : args
  const begun = Date.now()
  const deadline = begun + seconds * 1000
  for (;;) {
    const found = await within(what, Promise.resolve(check()), seconds)
    if (found !== undefined && found !== false) return found
    if (Date.now() > deadline) throw timeoutError(what, seconds)
    await delay(pauseAfter(Date.now() - begun))
  }
}

/** Waits for a promise. Throws after a timeout, with `what` in the message. */
export const within = async <T>(
  what: string,
  promise: Promise<T>,
  seconds: number = maxSeconds,
): Promise<T> => {
  const late = Promise.withResolvers<never>()
  // Created here, so that its stack shows the caller.
  const error = timeoutError(what, seconds)
  const timer = setTimeout(() => late.reject(error), seconds * 1000)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const timeoutError = (what: string, seconds: number): Error =>
  new Error(`Timed out after ${seconds} seconds while waiting until: ${what}`)
