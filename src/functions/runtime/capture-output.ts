/** Captures the output of a function, by its log or by the console, as lines of the service's log. */
import type { FunctionLog } from '../function-context.ts'
import { type EmitLog, logTo } from './log-to.ts'

// Without a limit, an endless loop that prints would flood the main thread.
const maxCharacters = 65_536

export type Output = {
  readonly log: FunctionLog
  /** Begins a new call and sets where its lines go. */
  readonly begin: (emit: EmitLog) => void
}

/**
 * Replaces standard output and standard error of the thread. Lines are sent immediately: Node's own way would
 * lose them when the thread is ended.
 */
export const captureOutput = (): Output => {
  let emit: EmitLog = () => undefined
  let left = 0
  const write: EmitLog = (severity, text) => {
    if (left <= 0) return
    emit(severity, text.slice(0, left))
    left -= text.length + 1
    if (left <= 0) emit('warn', `(past ${maxCharacters} characters, the rest is omitted)`)
  }
  process.stdout.write = streamTo((text) => write('info', text))
  process.stderr.write = streamTo((text) => write('warn', text))
  return {
    log: logTo(write),
    begin: (next) => {
      emit = next
      left = maxCharacters
    },
  }
}

/** `write` of a stream. */
const streamTo =
  (write: (text: string) => void) =>
  (chunk: Uint8Array | string, encoding?: unknown, done?: unknown): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    write(text.replace(/\n$/, ''))
    const callback = typeof encoding === 'function' ? encoding : done
    if (typeof callback === 'function') queueMicrotask(() => callback())
    return true
  }
