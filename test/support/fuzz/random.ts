/** Random numbers derived from a seed, so that a run can be repeated. */

export type Random = {
  /** From 0 to below 1. */
  readonly next: () => number
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number
  /** True with this probability. */
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(items: readonly T[]) => T
}

/** The numbers of a seed (mulberry32). */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
  }
}
