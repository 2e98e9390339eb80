/** Merges rows of several places by their time, the newest first, some at a time: a page needs no more of a place than comes before it. */
import type { Pool } from '../../database/pool.ts'

/** A row of a place: its id, by which the rows of a place are sorted, and its time in milliseconds. */
export type Key = { readonly id: number; readonly at: number }

type Read = (feed: Pool, before: number | undefined, most: number) => Promise<readonly Key[]>

type Cursor = { readonly feed: Pool; keys: Key[]; last: number | undefined; isWhole: boolean }

const firstRows = 100
const mostRows = 10_000

/** The rows of all places. The same rows come in the same order, so that pages fit to each other. */
export const mergeKeys = async function* (
  feeds: readonly Pool[],
  read: Read,
): AsyncGenerator<Key & { readonly feed: Pool }> {
  let most = firstRows
  const cursors: Cursor[] = feeds.map((feed) => ({
    ...{ feed, keys: [], last: undefined, isWhole: false },
  }))
  for (;;) {
    await Promise.all(cursors.map((cursor) => fill(cursor, read, most)))
    most = Math.min(2 * most, mostRows)
    const open = cursors.filter(({ keys }) => keys.length > 0)
    if (open.length === 0) return
    // Until a place has to be asked again.
    while (cursors.every(({ keys, isWhole }) => keys.length > 0 || isWhole)) {
      const next = newestOf(cursors)
      const key = next?.keys.shift()
      if (!next || !key) break
      yield { ...key, feed: next.feed }
    }
  }
}

const fill = async (cursor: Cursor, read: Read, most: number): Promise<void> => {
  if (cursor.keys.length > 0 || cursor.isWhole) return
  cursor.keys = [...(await read(cursor.feed, cursor.last, most))]
  cursor.last = cursor.keys.at(-1)?.id ?? cursor.last
  cursor.isWhole = cursor.keys.length < most
}

const newestOf = (cursors: readonly Cursor[]): Cursor | undefined =>
  cursors.reduce<Cursor | undefined>((best, one) => {
    const [mine, its] = [one.keys[0], best?.keys[0]]
    if (!mine) return best
    if (!its) return one
    return mine.at > its.at || (mine.at === its.at && mine.id > its.id) ? one : best
  }, undefined)
