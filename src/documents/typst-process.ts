/**
 * A process that prints. Typst runs in its thread, while this side keeps the time and the memory:
 * past a limit the process ends itself, for nothing less stops what is not JavaScript.
 */
import { setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { errorText } from '../errors.ts'
import type { EngineFaultReason } from './engine.ts'
import type { PrintEnd, PrintLimits, PrintOrder } from './typst-messages.ts'

// Whoever waits for a document can wait a little longer than whoever waits for a record.
const niceness = 10
const everyMs = 25
// Typst stops at a depth of its own, for which the usual 4 MiB of a thread are too little.
const stackMiB = 64

// The built package has .js where the source has .ts.
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'))

try {
  // Before the thread is there, which takes over what is set.
  setPriority(niceness)
} catch {
  // Some systems do not let it; then documents are as urgent as everything else.
}

const [timeoutMs = 0, memoryBytes = 0] = process.argv.slice(2).map(Number)
const limits: PrintLimits = { timeoutMs, memoryBytes }
const thread = new Worker(new URL(`./typst-thread${extension}`, import.meta.url), {
  resourceLimits: { stackSizeMb: stackMiB },
})

let watch: NodeJS.Timeout | undefined

process.on('message', (order: PrintOrder) => {
  const endsAt = performance.now() + limits.timeoutMs
  watch = setInterval(() => look(endsAt), everyMs)
  thread.postMessage(order)
})
// The service is gone.
process.on('disconnect', () => end())
thread.on('message', (printed: PrintEnd) => {
  if (printed.kind === 'failed') leave(printed.reason, printed.text)
  else {
    clearInterval(watch)
    process.send?.(printed)
  }
})
thread.on('error', (error) => leave('not-loaded', `could not be printed: ${errorText(error)}`))

const look = (endsAt: number): void => {
  if (performance.now() > endsAt)
    leave('timed-out', `took longer than ${limits.timeoutMs / 1000} s and was ended`)
  else if (process.memoryUsage.rss() > limits.memoryBytes)
    leave(
      'out-of-memory',
      `took more than ${Math.round(limits.memoryBytes / 1_048_576)} MiB and was ended`,
    )
}

const leave = (reason: EngineFaultReason, text: string): void => {
  clearInterval(watch)
  const failed: PrintEnd = { kind: 'failed', reason, text }
  if (process.send) process.send(failed, end)
  else end()
}

/** At once: to exit would be to wait for the thread. */
const end = (): void => {
  process.kill(process.pid, 'SIGKILL')
}
