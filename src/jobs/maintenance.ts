/** Runs maintenance tasks: immediately, and again after each interval. Errors are reported, and the task runs again. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Observe } from '../observations.ts'

export type MaintenanceTask = {
  readonly name: string
  readonly intervalMs: number
  /** Safe to run in several processes at once. What takes long ends early when the signal says so. */
  readonly run: (stopped: AbortSignal) => Promise<unknown>
}

export type Maintenance = {
  /** Starts no further task, and waits for those that run. */
  readonly stop: () => Promise<void>
}

/** Starts immediately, so that it catches up with what was missed while no process ran. */
export const scheduleMaintenance = (
  observe: Observe,
  tasks: readonly MaintenanceTask[],
): Maintenance => {
  const stopped = new AbortController()
  const ended = tasks.map((task) => repeat(observe, task, stopped.signal))
  return {
    stop: async () => {
      stopped.abort()
      await Promise.all(ended)
    },
  }
}

const repeat = async (
  observe: Observe,
  { name, intervalMs, run }: MaintenanceTask,
  stopped: AbortSignal,
) => {
  while (!stopped.aborted) {
    await run(stopped).catch((error: unknown) =>
      observe({ kind: 'maintenanceFailed', task: name, error }),
    )
    await delay(intervalMs, undefined, { signal: stopped, ref: false }).catch(() => undefined)
  }
}
