/**
 * Limits the connections of one caller, so that a caller with many requests waits for their own, and
 * others find a free connection. First come, first served.
 */

/** A slot; call `release` once. */
export type Slot = { readonly release: () => void }

type Caller = { held: number; readonly waiting: Set<() => void> }

/** Calls back when the wait must end without a slot; returns how to unsubscribe. */
type GiveUpSignal = (giveUp: () => void) => () => void

export type CallerLimit = {
  /** Resolves with a slot; undefined when the wait was given up. */
  readonly take: (callerKey: string, signal: GiveUpSignal) => Promise<Slot | undefined>
}

/** A limit of `max` slots per caller; callers without a slot use no memory. */
export const createCallerLimit = (max: number): CallerLimit => {
  const callers = new Map<string, Caller>()
  const release = (key: string, caller: Caller): void => {
    const [next] = caller.waiting
    if (next) {
      next()
      return
    }
    caller.held -= 1
    if (caller.held === 0) callers.delete(key)
  }
  return {
    take: async (key, signal) => {
      const caller = callers.get(key) ?? { held: 0, waiting: new Set() }
      const slot = { release: () => release(key, caller) }
      if (caller.held < max) {
        callers.set(key, caller)
        caller.held += 1
        return slot
      }
      return new Promise((resolve) => {
        const stopWaiting = (answer: Slot | undefined) => {
          caller.waiting.delete(take)
          ignoreSignal()
          resolve(answer)
        }
        const take = () => stopWaiting(slot)
        const ignoreSignal = signal(() => stopWaiting(undefined))
        caller.waiting.add(take)
      })
    },
  }
}
