/**
 * Limits how many connections one caller holds at once, so that a caller who asks for much waits
 * behind their own requests and everybody else finds a free connection. First come, first served.
 */

/** A slot that was taken; `release` is called once. */
export type Slot = { readonly release: () => void }

type Caller = { held: number; readonly waiting: Set<() => void> }

/** Calls back when the wait is to end without a slot; answers with how to stop listening. */
type GiveUpSignal = (giveUp: () => void) => () => void

export type CallerLimit = {
  /** Answers with a slot; undefined when the wait was given up. */
  readonly take: (callerKey: string, signal: GiveUpSignal) => Promise<Slot | undefined>
}

/** A limit of `most` slots per caller; callers without a slot take no memory. */
export const createCallerLimit = (most: number): CallerLimit => {
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
      if (caller.held < most) {
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
