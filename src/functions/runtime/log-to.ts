/** The log of a function. */
import { format } from 'node:util'
import type { FunctionLog, LogSeverity } from '../function-context.ts'

/** Writes one entry, which may have several lines. */
export type EmitLog = (severity: LogSeverity, text: string) => void

/** A log that formats its arguments like `console.log`. */
export const logTo = (emit: EmitLog): FunctionLog => {
  const as =
    (severity: LogSeverity) =>
    (...parts: unknown[]) =>
      emit(severity, format(...parts))
  return { debug: as('debug'), info: as('info'), warn: as('warn'), error: as('error') }
}
