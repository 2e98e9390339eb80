/**
 * Watches the memory of a thread. Its heap has a hard limit of V8, where the thread ends by itself;
 * but V8 ends the whole process when a single table outgrows that limit at once, and does not count
 * the memory of buffers at all. So a lower limit over both is kept by asking.
 */
import type { Worker } from 'node:worker_threads'
import type { Failure } from './function-fault.ts'

// A loop that fills a Map reaches 256 MiB after a second; one that makes buffers, after 50 ms.
const everyMs = 25
/** V8's own limit, as a multiple of ours: room for what a loop takes between two looks. */
export const hardLimitFactor = 4

/** Tells once when heap and buffers together are above the limit; answers with how to stop. */
export const watchMemory = (
  worker: Worker,
  limitBytes: number,
  onOver: (failure: Failure) => void,
): (() => void) => {
  let isAsking = false
  const look = async () => {
    if (isAsking) return
    isAsking = true
    const statistics = await worker.getHeapStatistics().catch(() => undefined)
    isAsking = false
    if (!statistics || isStopped) return
    if (statistics.used_heap_size + statistics.external_memory > limitBytes)
      onOver(outOfMemory(limitBytes))
  }
  const timer = setInterval(() => void look(), everyMs)
  let isStopped = false
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}

/** The failure of a thread that took more than it may. */
export const outOfMemory = (limitBytes: number): Failure => ({
  reason: 'out-of-memory',
  text: `ran out of memory: it may take ${Math.round(limitBytes / 1_048_576)} MiB`,
})
