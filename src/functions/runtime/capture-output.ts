/** What a function prints, by its log or past it, as lines of the service's log. */
import type { FunctionLog } from '../function-context.ts'
import { logTo, type TellLog } from './log-to.ts'

// An endless loop that prints would fill the main thread with what it prints.
const maxCharacters = 65_536

export type Output = {
  readonly log: FunctionLog
  /** A new call begins; where its lines go. */
  readonly begin: (tell: TellLog) => void
}

/**
 * Takes over standard output and standard error of the thread. Lines are told at once: the usual way
 * would lose them when the thread is ended.
 */
export const captureOutput = (): Output => {
  let tell: TellLog = () => undefined
  let left = 0
  const write: TellLog = (severity, text) => {
    if (left <= 0) return
    tell(severity, text.slice(0, left))
    left -= text.length + 1
    if (left <= 0) tell('warn', `(past ${maxCharacters} characters, the rest is left out)`)
  }
  process.stdout.write = streamTo((text) => write('info', text))
  process.stderr.write = streamTo((text) => write('warn', text))
  return {
    log: logTo(write),
    begin: (next) => {
      tell = next
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
