/**
 * Loaded into the process of a service first (`--import`): measures its thread and its memory
 * from inside, and sends the result to its parent on request.
 */
import { isMainThread } from 'node:worker_threads'

export type Seen = {
  /** The longest time that the thread computed without a pause, in milliseconds of CPU time. */
  readonly computedMs: number
  /** The longest delay of a timer, in milliseconds. */
  readonly waitedMs: number
  /** The largest memory of the process, in bytes. */
  readonly residentBytes: number
}

const intervalMs = 5

/** Starts measuring this thread. The returned function gives the maxima since its last call. */
export const watchThread = (): (() => Seen) => {
  let seen = { computedMs: 0, waitedMs: 0, residentBytes: 0 }
  let [usage, at] = [process.threadCpuUsage(), performance.now()]
  const measure = () => {
    const { user, system } = process.threadCpuUsage(usage)
    seen.computedMs = Math.max(seen.computedMs, (user + system) / 1000)
    seen.waitedMs = Math.max(seen.waitedMs, performance.now() - at - intervalMs)
    seen.residentBytes = Math.max(seen.residentBytes, process.memoryUsage.rss())
    usage = process.threadCpuUsage()
    at = performance.now()
  }
  setInterval(measure, intervalMs).unref()
  return () => {
    measure()
    const maxima = seen
    seen = { computedMs: 0, waitedMs: 0, residentBytes: 0 }
    return maxima
  }
}

// Threads and child processes of the service inherit the options. Only the service itself is measured.
if (isMainThread && process.argv[1]?.match(/\/cli\/main\.[jt]s$/)) {
  const read = watchThread()
  process.on('message', (message) => {
    if (message === 'seen') process.send?.(read())
  })
  process.channel?.unref()
}
