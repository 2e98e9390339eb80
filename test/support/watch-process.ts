/**
 * Loaded into a service's process before its own files (`--import`): watches its thread and its memory
 * from inside, and tells its parent when it is asked.
 */
import { isMainThread } from 'node:worker_threads'

export type Seen = {
  /** The most that the thread computed in one go, in milliseconds of its own processor time. */
  readonly computedMs: number
  /** The longest that a timer waited for its turn, in milliseconds on the clock. */
  readonly waitedMs: number
  /** The most memory that the process held, in bytes. */
  readonly residentBytes: number
}

const intervalMs = 5

/** Begins to watch this thread; the answer gives what was seen since it was asked last. */
export const watchThread = (): (() => Seen) => {
  let seen = { computedMs: 0, waitedMs: 0, residentBytes: 0 }
  let [usage, at] = [process.threadCpuUsage(), performance.now()]
  const look = () => {
    const { user, system } = process.threadCpuUsage(usage)
    seen.computedMs = Math.max(seen.computedMs, (user + system) / 1000)
    seen.waitedMs = Math.max(seen.waitedMs, performance.now() - at - intervalMs)
    seen.residentBytes = Math.max(seen.residentBytes, process.memoryUsage.rss())
    usage = process.threadCpuUsage()
    at = performance.now()
  }
  setInterval(look, intervalMs).unref()
  return () => {
    look()
    const told = seen
    seen = { computedMs: 0, waitedMs: 0, residentBytes: 0 }
    return told
  }
}

// Threads and further processes of the service are given the same options; only the service is asked.
if (isMainThread && process.argv[1]?.endsWith('/cli/main.ts')) {
  const read = watchThread()
  process.on('message', (message) => {
    if (message === 'seen') process.send?.(read())
  })
  process.channel?.unref()
}
