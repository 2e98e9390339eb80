/** When a failed e-mail is tried again. */

const minuteMs = 60_000
// Eight tries in about a day: quick while it may be a hiccup, patient while a server is mended.
const pausesMs = [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * minuteMs)

/** The pause after a number of tries, spread by a fifth, so that a storm does not come back as one. */
export const pauseAfter = (tries: number, retryAfterMs = 0, random = Math.random): number => {
  const pause = pausesMs[Math.min(tries, pausesMs.length) - 1] ?? minuteMs
  return Math.round(Math.max(retryAfterMs, pause * (0.8 + 0.4 * random())))
}
