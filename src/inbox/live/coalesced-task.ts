/** Runs one task at a time: calls made while it runs trigger exactly one more run. */
import { setTimeout as delay } from 'node:timers/promises'
import { runOutsideRequest } from '../../database/request-context.ts'

type Options = {
  /** Resolves with whether there is more to do; a run that throws is repeated after a second. */
  readonly run: () => Promise<boolean>
  /** Called once for a series of failures. */
  readonly onFailure: (error: unknown) => void
}

export type CoalescedTask = {
  readonly trigger: () => void
  /** Starts no further run, and waits for the one that runs. */
  readonly stop: () => Promise<void>
}

const retryAfterMs = 1000

/** Creates a task that runs when it is triggered. */
export const createCoalescedTask = ({ run, onFailure }: Options): CoalescedTask => {
  const stopped = new AbortController()
  let isTriggered = false
  let running: Promise<void> | undefined
  const runWhileTriggered = async () => {
    let isFailing = false
    while (isTriggered && !stopped.signal.aborted) {
      isTriggered = false
      try {
        if (await run()) isTriggered = true
        isFailing = false
      } catch (error) {
        if (!isFailing && !stopped.signal.aborted) onFailure(error)
        isFailing = true
        isTriggered = true
        const { signal } = stopped
        await delay(retryAfterMs, undefined, { ref: false, signal }).catch(() => undefined)
      }
    }
    running = undefined
  }
  return {
    trigger: () => {
      isTriggered = true
      if (!stopped.signal.aborted) running ??= runOutsideRequest(runWhileTriggered)
    },
    stop: async () => {
      stopped.abort()
      await running
    },
  }
}
