/**
 * A queue in which callers take turns, so that a caller who adds a hundred items does not delay the
 * others.
 */

type CallerKey = string | undefined

export class FairQueue<T extends object> {
  /** The items of each caller in order; the first caller is next. */
  readonly #callers = new Map<CallerKey, Set<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The item that `take` returns next. */
  get first(): T | undefined {
    const [own] = this.#callers.values()
    const [item] = own ?? []
    return item
  }

  countOf(callerKey: CallerKey): number {
    return this.#callers.get(callerKey)?.size ?? 0
  }

  /** Adds an item; returns how to remove it, which returns whether it was still queued. */
  add(callerKey: CallerKey, item: T): () => boolean {
    const own = this.#callers.get(callerKey) ?? new Set()
    this.#callers.set(callerKey, own)
    own.add(item)
    this.#size += 1
    return () => this.#remove(callerKey, own, item)
  }

  /** Removes the first item of the next caller, who then moves to the end. */
  take(): T | undefined {
    const [next] = this.#callers
    if (!next) return undefined
    const [callerKey, own] = next
    const [item] = own
    if (!item) return undefined
    this.#remove(callerKey, own, item)
    if (own.size > 0) {
      this.#callers.delete(callerKey)
      this.#callers.set(callerKey, own)
    }
    return item
  }

  takeAll(): T[] {
    const all = [...this.#callers.values()].flatMap((own) => [...own])
    this.#callers.clear()
    this.#size = 0
    return all
  }

  #remove(callerKey: CallerKey, own: Set<T>, item: T): boolean {
    if (!own.delete(item)) return false
    this.#size -= 1
    if (own.size === 0) this.#callers.delete(callerKey)
    return true
  }
}
