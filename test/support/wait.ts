/** How tests wait: for a state and not for a time, never without an end, and saying what for. */
import { setTimeout as delay } from 'node:timers/promises'

// Long enough for a machine that has ten times as much to do; a test has 300 seconds in all.
const maxSeconds = 100

type Look<T> = () => T | false | undefined | Promise<T | false | undefined>

/**
 * Asks again until there is an answer other than false and undefined, which it gives back; fails
 * after so many seconds, saying what never came about: the words given, or else the condition itself.
 */
export const until = async <T>(
  ...given: readonly [what: string, look: Look<T>, seconds?: number] | readonly [look: Look<T>]
): Promise<T> => {
  const [what, look, seconds = maxSeconds] =
    given.length === 1 ? [String(given[0]), given[0]] : given
  const giveUpAt = Date.now() + seconds * 1000
  for (;;) {
    const found = await within(what, Promise.resolve(look()), seconds)
    if (found !== undefined && found !== false) return found
    if (Date.now() > giveUpAt) throw neverCame(what, seconds)
    await delay(10)
  }
}

/** Waits for what a promise gives; fails after so many seconds, saying what never came about. */
export const within = async <T>(
  what: string,
  promise: Promise<T>,
  seconds: number = maxSeconds,
): Promise<T> => {
  const late = Promise.withResolvers<never>()
  // Taken here, so that it shows who waited.
  const error = neverCame(what, seconds)
  const timer = setTimeout(() => late.reject(error), seconds * 1000)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const neverCame = (what: string, seconds: number): Error =>
  new Error(`It never came about in ${seconds} seconds that ${what}.`)
