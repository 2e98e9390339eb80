/** One call on a thread, seen from the main thread: its services, its log, its time and its memory. */
import { MessageChannel, type Worker } from 'node:worker_threads'
import type { FunctionFile } from './find-functions.ts'
import type { FunctionSubject, LogSeverity } from './function-context.ts'
import type { Failure } from './function-fault.ts'
import type { CallEnd, CallOrder, ThreadMessage } from './function-messages.ts'
import type { OfferedServices } from './function-services.ts'
import { openAskDesk } from './serve-asks.ts'
import { watchMemory } from './watch-memory.ts'

export type FunctionCall = { readonly file: FunctionFile; readonly subject: FunctionSubject }

export type CallLimits = {
  readonly memoryBytes: number
  readonly loadTimeoutMs: number
  /** Documents of one call together. */
  readonly mostBytes: number
}

type Options = {
  readonly worker: Worker
  readonly call: FunctionCall
  readonly limits: CallLimits
  readonly services: OfferedServices
  readonly onLogged: (severity: LogSeverity, text: string) => void
}

export type RunningCall = {
  /** Settles once; it never rejects. */
  readonly ended: Promise<CallEnd>
  /** Ends it from outside, such as when its thread is gone. */
  readonly fail: (failure: Failure) => void
}

/** Starts the call; whatever happens in the thread, it ends, at the latest at its timeout. */
export const runCall = ({ worker, call, limits, services, onLogged }: Options): RunningCall => {
  const { port1: port, port2 } = new MessageChannel()
  const left = new AbortController()
  const { promise: ended, resolve } = Promise.withResolvers<CallEnd>()
  const end = (callEnd: CallEnd) => {
    clearTimeout(timer)
    stopWatching()
    left.abort()
    port.close()
    resolve(callEnd)
  }
  const fail = (failure: Failure) => end({ failure, isReusable: false })
  const { memoryBytes, loadTimeoutMs, mostBytes } = limits
  let timer = startTimer(loadTimeoutMs, () =>
    fail({ reason: 'timed-out', text: `did not load within ${loadTimeoutMs} ms` }),
  )
  const stopWatching = watchMemory(worker, memoryBytes, fail)
  const desk = openAskDesk(port, services, left.signal)
  port.on('message', (message: ThreadMessage) => {
    switch (message.kind) {
      case 'loaded': {
        const { timeoutMs } = message
        clearTimeout(timer)
        timer = startTimer(timeoutMs, () =>
          fail({ reason: 'timed-out', text: `timed out after ${timeoutMs} ms` }),
        )
        break
      }
      case 'logged':
        onLogged(message.severity, message.text)
        break
      case 'ask':
        desk.ask(message)
        break
      case 'more':
        desk.more(message.id)
        break
      case 'ended':
        end(message.end)
    }
  })
  const { kind, path } = call.file
  const order: CallOrder = { kind, path, subject: call.subject, mostBytes, port: port2 }
  worker.postMessage(order, [port2])
  return { ended, fail }
}

/** One turn of the event loop later, so that an answer which waits beside the timer still counts. */
const startTimer = (ms: number, onLate: () => void): NodeJS.Timeout =>
  setTimeout(() => setImmediate(onLate), ms)
