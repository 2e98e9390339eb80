/** The log that a function is given. */
import { format } from 'node:util'
import type { FunctionLog, LogSeverity } from '../function-context.ts'

/** Tells one line, which may be of several lines. */
export type TellLog = (severity: LogSeverity, text: string) => void

/** A log whose parts are put together as `console.log` does it. */
export const logTo = (tell: TellLog): FunctionLog => {
  const as =
    (severity: LogSeverity) =>
    (...parts: unknown[]) =>
      tell(severity, format(...parts))
  return { debug: as('debug'), info: as('info'), warn: as('warn'), error: as('error') }
}
