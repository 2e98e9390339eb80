/** A queue in which callers take turns: who adds a hundred things waits no longer for others than who adds one. */

type CallerKey = string | undefined

export class FairQueue<T extends object> {
  /** The things of each caller in their order; the first caller is the next one. */
  readonly #callers = new Map<CallerKey, Set<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** What `take` gives next. */
  get first(): T | undefined {
    const [own] = this.#callers.values()
    const [thing] = own ?? []
    return thing
  }

  countOf(callerKey: CallerKey): number {
    return this.#callers.get(callerKey)?.size ?? 0
  }

  /** Adds a thing; answers with how to remove it, which tells whether it was still there. */
  add(callerKey: CallerKey, thing: T): () => boolean {
    const own = this.#callers.get(callerKey) ?? new Set()
    this.#callers.set(callerKey, own)
    own.add(thing)
    this.#size += 1
    return () => this.#remove(callerKey, own, thing)
  }

  /** The first thing of the next caller, who is the last one then. */
  take(): T | undefined {
    const [next] = this.#callers
    if (!next) return undefined
    const [callerKey, own] = next
    const [thing] = own
    if (!thing) return undefined
    this.#remove(callerKey, own, thing)
    if (own.size > 0) {
      this.#callers.delete(callerKey)
      this.#callers.set(callerKey, own)
    }
    return thing
  }

  takeAll(): T[] {
    const all = [...this.#callers.values()].flatMap((own) => [...own])
    this.#callers.clear()
    this.#size = 0
    return all
  }

  #remove(callerKey: CallerKey, own: Set<T>, thing: T): boolean {
    if (!own.delete(thing)) return false
    this.#size -= 1
    if (own.size === 0) this.#callers.delete(callerKey)
    return true
  }
}
