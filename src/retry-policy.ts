/** When a failed attempt is repeated: jobs, deliveries, connections and writes use these policies. */

export type RetryPolicy = {
  /** The pauses after the first failure, the second and so on; the last one is repeated. */
  readonly pausesMs: readonly number[]
  /** Each pause is multiplied by a random number between these, so that retries do not coincide. */
  readonly spread: readonly [least: number, most: number]
}

const minuteMs = 60_000

const doubling = (firstMs: number, maxMs: number): number[] =>
  firstMs >= maxMs ? [maxMs] : [firstMs, ...doubling(2 * firstMs, maxMs)]

/** Eight attempts in about a day: soon after a short interruption, slowly during a long one. */
export const deliveryRetries: RetryPolicy = {
  pausesMs: [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * minuteMs),
  spread: [0.8, 1.2],
}

/** 25 attempts in about four days: after e, e², e³ seconds and so on, up to e¹⁰, which is six hours. */
export const jobRetries: RetryPolicy = {
  pausesMs: Array.from({ length: 10 }, (_, failures) => Math.exp(failures + 1) * 1_000),
  spread: [1, 1],
}

/** A connection to PostgreSQL that was lost, and what runs on it. */
export const connectionRetries: RetryPolicy = { pausesMs: doubling(200, 5_000), spread: [0.5, 1] }

/** The embedded server, which takes a while to start. */
export const serverRetries: RetryPolicy = { pausesMs: doubling(500, 30_000), spread: [1, 1] }

/** A write that a caller waits for. */
export const writeRetries: RetryPolicy = { pausesMs: doubling(50, 1_000), spread: [1, 1] }

/** The pause after a number of failures, in milliseconds. */
export const pauseAfter = (
  { pausesMs, spread: [least, most] }: RetryPolicy,
  failures: number,
  random = Math.random,
): number => {
  const pauseMs = pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0
  return Math.round(pauseMs * (least + (most - least) * random()))
}
