/** Prints the diagnostics of a template: place, message, source line and a caret. */

import { placeOf } from '../render-document.ts'
import type { Diagnostic, Template } from '../typst/engine.ts'

const maxShown = 120

/** Several lines per issue, ready for a terminal. */
export const printDiagnostics = (diagnostics: readonly Diagnostic[], template: Template): string =>
  diagnostics.map((one) => `${printOne(one, template)}\n`).join('')

const printOne = (diagnostic: Diagnostic, template: Template): string => {
  const { severity, message } = diagnostic
  const head = `${placeOf(diagnostic, template)}: ${severity}: ${message}`
  const line = lineOf(diagnostic, template)
  return line === undefined ? head : `${head}\n${marked(line, diagnostic)}`
}

const lineOf = ({ file, line }: Diagnostic, template: Template): string | undefined => {
  if (file === undefined) return undefined
  const isSource = file === template.main && template.source !== undefined
  const bytes = template.files.get(file)
  const text = isSource ? template.source : bytes && Buffer.from(bytes).toString('utf8')
  return text?.split(/\r\n|\n|\r/)[line - 1]
}

/** The relevant part of a long line; keeps tabs, so that the caret is in the right column. */
const marked = (line: string, { line: number, column, endColumn }: Diagnostic): string => {
  const start = Math.max(0, column - 1 - maxShown / 2)
  const shown = line.slice(start, start + maxShown)
  const before = shown.slice(0, column - 1 - start).replaceAll(/[^\t]/g, ' ')
  const room = Math.max(1, shown.length - (column - 1 - start))
  const caret = '^'.repeat(Math.min(Math.max(1, endColumn - column), room))
  const margin = ' '.repeat(String(number).length)
  return `  ${number} | ${shown}\n  ${margin} | ${before}${caret}`
}
