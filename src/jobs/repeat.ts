/** What is done from time to time: at once, and again after each pause; an error is told and forgotten. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Observe } from '../observations.ts'

type Chore = {
  readonly name: string
  readonly intervalMs: number
  /** Safe to run in several processes at once. */
  readonly run: () => Promise<unknown>
}

export type Repeating = {
  /** Begins nothing more, and waits for what runs. */
  readonly stop: () => Promise<void>
}

/** Begins at once: what was missed while no process ran is caught up. */
export const repeat = (observe: Observe, chores: readonly Chore[]): Repeating => {
  const stopped = new AbortController()
  const ended = chores.map((chore) => repeatOne(observe, chore, stopped.signal))
  return {
    stop: async () => {
      stopped.abort()
      await Promise.all(ended)
    },
  }
}

const repeatOne = async (
  observe: Observe,
  { name, intervalMs, run }: Chore,
  stopped: AbortSignal,
) => {
  while (!stopped.aborted) {
    // What could not be done now is done the next time.
    await run().catch((error: unknown) => observe({ kind: 'upkeepFailed', chore: name, error }))
    await delay(intervalMs, undefined, { signal: stopped, ref: false }).catch(() => undefined)
  }
}
