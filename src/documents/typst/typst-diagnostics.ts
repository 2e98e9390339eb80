/** Reads the diagnostics of Typst and rewords those that do not apply here. */
import type { Diagnostic } from './engine.ts'

type Place = { readonly line: number; readonly character: number }
type Reported = {
  readonly message: string
  readonly path: string
  readonly range: { readonly start: Place; readonly end: Place } | null
  readonly severity: number
}

const severities: Readonly<Record<number, Diagnostic['severity']>> = { 1: 'error', 2: 'warning' }

/** Errors and warnings with paths relative to `root`; omits the trace through imports. */
export const readDiagnostics = (reported: readonly unknown[], root: string): Diagnostic[] => {
  const seen = new Set<string>()
  return (reported as readonly Reported[]).flatMap((one) => {
    const severity = severities[one.severity]
    const found = severity && {
      ...placeOf(one, root),
      severity,
      message: reworded(one.message, root),
    }
    const printed = JSON.stringify(found)
    if (!found || seen.has(printed)) return []
    seen.add(printed)
    return [found]
  })
}

const placeOf = ({ path, range }: Reported, root: string) => {
  const file = relative(path, root)
  if (file === '' || !range) return { file: file || undefined, line: 1, column: 1, endColumn: 1 }
  const { start, end } = range
  const column = start.character + 1
  const endColumn = end.line === start.line ? end.character + 1 : column + 1
  return { file, line: start.line + 1, column, endColumn: Math.max(endColumn, column + 1) }
}

const relative = (path: string, root: string): string =>
  path.startsWith(root) ? path.slice(root.length + 1).replaceAll('\\', '/') : path

// Texts about Typst's command line and about packages from the network do not apply here.
const rewordings: readonly (readonly [RegExp, string])[] = [
  [
    /^failed to download package.*|^package not found.*|^failed to load package.*/s,
    'packages cannot be imported here: put the files into printable-documents/ and import them from there',
  ],
  [
    /^failed to load file \(access denied\).*/s,
    'files outside of printable-documents/ cannot be read',
  ],
  [/^file not found \(searched at (.*)\)/s, 'there is no file $1 in printable-documents/'],
]

const reworded = (message: string, root: string): string => {
  const plain = message.replaceAll(`${root}/`, '').replaceAll(`${root}\\`, '').replaceAll(root, '')
  const [pattern, text] = rewordings.find(([one]) => one.test(plain)) ?? []
  return pattern ? plain.replace(pattern, text ?? '') : plain.replaceAll(/,? hints: /g, '; ')
}
