/**
 * Wakes the workers of a runner: as many as there are jobs when these are signalled, and one every second, for
 * jobs that are due later or whose signal was lost. If that one finds a job, all look. So the number of statements of an
 * idle process does not grow with the number of its workers.
 */
import type { WorkerEvents, WorkerPool } from 'graphile-worker'
import type { Listener } from '../database/listener.ts'
import { countOf, workerChannel } from './worker-channel.ts'

const lookEveryMs = 1_000

/** At what intervals each worker looks by itself: hardly ever, but then whatever else failed. */
export const ownLookMs = 600_000

type Waking = {
  readonly listener: Pick<Listener, 'subscribe'>
  readonly workers: Pick<WorkerPool, 'nudge'>
  readonly events: WorkerEvents
  /** How many workers there are. */
  readonly atOnce: number
}

/** Returns how to end it. */
export const wakeWorkers = ({ listener, workers, events, atOnce }: Waking): (() => void) => {
  const nudge = (count: number) => {
    try {
      workers.nudge(count)
    } catch {
      // One of them ended without the database meanwhile: then the runner is lost, and the next one looks at once.
    }
  }
  let isLooking = false
  const timer = setInterval(() => {
    isLooking = true
    nudge(1)
  }, lookEveryMs)
  events.on('worker:getJob:empty', () => {
    isLooking = false
  })
  events.on('job:start', () => {
    if (!isLooking) return
    isLooking = false
    nudge(atOnce)
  })
  const unsubscribe = listener.subscribe({
    channels: { [workerChannel.name]: (payload) => nudge(countOf(payload)) },
    // Signals may have been missed.
    onListening: () => nudge(atOnce),
  })
  const end = () => {
    clearInterval(timer)
    isLooking = false
    unsubscribe()
  }
  // Workers that stop cannot be nudged.
  events.once('pool:gracefulShutdown', end)
  return end
}
