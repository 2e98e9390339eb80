/** A cache with a limit: the least recently used entry is removed for a new one. */

export type BoundedCache<Value> = {
  readonly get: (key: string) => Value | undefined
  readonly set: (key: string, value: Value) => void
  readonly delete: (key: string) => void
  readonly entries: () => Iterable<readonly [string, Value]>
  readonly clear: () => void
}

/** Creates an empty cache with at most `limit` entries. */
export const createBoundedCache = <Value extends object>(limit: number): BoundedCache<Value> => {
  // A Map keeps the order of insertion: a used entry moves to the end.
  const entries = new Map<string, Value>()
  // A key that is asked for again and again stays where it is: moving it takes longer than finding it.
  let last: string | undefined
  return {
    get: (key) => {
      const value = entries.get(key)
      if (!value || key === last) return value
      entries.delete(key)
      entries.set(key, value)
      last = key
      return value
    },
    set: (key, value) => {
      entries.delete(key)
      entries.set(key, value)
      last = key
      if (entries.size > limit) entries.delete(entries.keys().next().value ?? '')
    },
    delete: (key) => {
      entries.delete(key)
    },
    entries: () => entries,
    clear: () => entries.clear(),
  }
}
