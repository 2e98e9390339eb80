/** How many rows a batch has: as many as take a short time, because what they lock and the place of the run wait for its end. */

/** Does a batch of at most so many rows: `work` gets how many. */
export type Pace = <T>(most: number, work: (rows: number) => Promise<T>) => Promise<T>

/** The most rows that are committed at once where they are written in sets. */
export const mostInSets = 5000
/** The same where they are written one by one. */
export const mostOneByOne = 250

const wantedMs = 200
// What a batch takes by itself, however few rows it has, must not be most of it: a slow machine would be slower.
const leastShare = 1 / 5
/** Of a batch to the next one. */
const mostChange = 2

/** Begins with the fewest, and follows how long each batch has taken. */
export const createPace = (now = () => performance.now()): Pace => {
  let share = leastShare
  return async (most, work) => {
    const begun = now()
    const result = await work(Math.round(most * share))
    const change = wantedMs / Math.max(1, now() - begun)
    const limited = Math.min(mostChange, Math.max(1 / mostChange, change))
    share = Math.min(1, Math.max(leastShare, share * limited))
    return result
  }
}
