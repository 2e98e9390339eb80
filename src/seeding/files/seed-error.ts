/** Errors of seed files, and one message for all of them. */
import { type Finding, type JsonPath, printFinding } from '../../definitions/source-file.ts'
import { StartupError } from '../../errors.ts'

export type SeedError = {
  readonly file: string
  /** Index of the record in its file, from 0; -1 for the whole file. */
  readonly record: number
  /** Computed when it is shown: finding a place in a long file takes time. */
  readonly finding: () => Finding
}

/** A file that can locate its values. */
export type Located = {
  /** Path relative to the project's folder. */
  readonly file: string
  /** `path` begins with the number of the record. */
  readonly finding: (path: JsonPath, message: string) => Finding
}

/** An error at a place of a file; pass a costly message as a function. */
export const errorAt = (
  { file, finding }: Located,
  path: JsonPath,
  message: string | (() => string),
): SeedError => ({
  file,
  record: typeof path[0] === 'number' ? path[0] : -1,
  finding: () => finding(path, typeof message === 'string' ? message : message()),
})

/** An error of a whole file. */
export const errorOfFile = (file: string, message: string): SeedError => ({
  file,
  record: -1,
  finding: () => ({ file, line: 1, column: 1, path: '', message, severity: 'error' }),
})

/** The order of loading: by the leading number, so that 100 follows 99. */
export const compareFileNames = (a: string, b: string): number =>
  a.localeCompare(b, 'en', { numeric: true }) || (a < b ? -1 : 1)

/** By file and record. */
export const inOrder = <F extends SeedError>(errors: readonly F[]): F[] =>
  errors.toSorted((a, b) =>
    a.file === b.file ? a.record - b.record : compareFileNames(a.file, b.file),
  )

const maxShown = 50

/** All errors in the order of the files, with the places of the first. */
export const startupErrorOf = (errors: readonly SeedError[]): StartupError => {
  const sorted = inOrder(errors)
  const shown = sorted.slice(0, maxShown).map(({ finding }) => finding())
  const lines = shown.toSorted(compareFindings).map((finding) => `  ${printFinding(finding)}`)
  const more = sorted.length - lines.length
  return new StartupError(
    [
      `The seeds have ${sorted.length === 1 ? 'an error' : `${sorted.length} errors`}; nothing was loaded:`,
      ...lines,
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
  )
}

const compareFindings = (a: Finding, b: Finding): number =>
  a.file === b.file ? a.line - b.line || a.column - b.column : compareFileNames(a.file, b.file)
