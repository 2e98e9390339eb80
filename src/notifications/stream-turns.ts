/** Work that is asked for often and done one turn at a time: what is asked meanwhile is one more turn. */
import { setTimeout as delay } from 'node:timers/promises'
import { runOutsideRequest } from '../database/request-context.ts'

type Options = {
  /** Answers whether there is more to do; what it throws is tried again in a moment. */
  readonly turn: () => Promise<boolean>
  /** Told once for a row of failures. */
  readonly onFailure: (error: unknown) => void
}

export type Turns = { readonly ask: () => void; readonly stop: () => Promise<void> }

const againAfterMs = 1000

/** Makes work that runs when it is asked for. */
export const createTurns = ({ turn, onFailure }: Options): Turns => {
  const stopped = new AbortController()
  let isAsked = false
  let running: Promise<void> | undefined
  const work = async () => {
    let isFailing = false
    while (isAsked && !stopped.signal.aborted) {
      isAsked = false
      try {
        if (await turn()) isAsked = true
        isFailing = false
      } catch (error) {
        if (!isFailing && !stopped.signal.aborted) onFailure(error)
        isFailing = true
        isAsked = true
        const { signal } = stopped
        await delay(againAfterMs, undefined, { ref: false, signal }).catch(() => undefined)
      }
    }
    running = undefined
  }
  return {
    ask: () => {
      isAsked = true
      if (!stopped.signal.aborted) running ??= runOutsideRequest(work)
    },
    stop: async () => {
      stopped.abort()
      await running
    },
  }
}
