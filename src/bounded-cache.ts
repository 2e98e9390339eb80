/** Memory with a limit: the entry that was not asked for the longest makes room. */

export type BoundedCache<Value> = {
  readonly get: (key: string) => Value | undefined
  readonly set: (key: string, value: Value) => void
  readonly delete: (key: string) => void
  readonly entries: () => Iterable<readonly [string, Value]>
  readonly clear: () => void
}

/** Makes an empty cache that never holds more than `limit` entries. */
export const createBoundedCache = <Value extends object>(limit: number): BoundedCache<Value> => {
  // A Map keeps the order of insertion: an entry that is used moves to the end.
  const entries = new Map<string, Value>()
  return {
    get: (key) => {
      const value = entries.get(key)
      if (!value) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set: (key, value) => {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size > limit) entries.delete(entries.keys().next().value ?? '')
    },
    delete: (key) => {
      entries.delete(key)
    },
    entries: () => entries,
    clear: () => entries.clear(),
  }
}
