/** How commands print: aligned tables, command lines to paste, and progress lines, which only a terminal shows. */
import type { Terminal } from './command.ts'

/** Lines with aligned columns, two spaces apart; the last column is not padded. */
export const alignedTable = (rows: readonly (readonly string[])[], indent = ''): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
      return `${indent}${cells.join('  ').trimEnd()}`
    })
    .join('\n')
}

// `docket` is not in the PATH, neither in a clone nor after a local npm install.
const isClone = import.meta.url.endsWith('.ts')

const ownName = isClone ? 'npm run -s docket --' : 'npx docket'

/** A command line for the project in a folder, for a POSIX shell. */
export const commandLine = (words: string, project: string): string =>
  `${ownName} ${words} --project ${quoted(project)}`

/** A word of a POSIX shell. */
export const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

const intervalMs = 100

/** A line that is replaced at intervals; only a terminal shows it. */
const createLine = ({ isInteractive, note }: Terminal) => {
  let shownAt = 0
  return {
    show: (textAt: (now: number) => string): void => {
      const now = performance.now()
      if (!isInteractive || now - shownAt < intervalMs) return
      shownAt = now
      note(`\r\x1b[K${textAt(now)}`)
    },
    clear: (): void => {
      if (shownAt > 0) note('\r\x1b[K')
      shownAt = 0
    },
  }
}

export type Progress = {
  readonly add: (chunk: Buffer) => void
  /** Clears the line. */
  readonly end: () => void
}

type Options = {
  readonly format: string
  /** Whether it can be shown without mixing with other output. */
  readonly isShown: boolean
}

/** Counts bytes, and rows if the format allows it; silent without a terminal. */
export const createProgress = (terminal: Terminal, { format, isShown }: Options): Progress => {
  if (!terminal.isInteractive || !isShown) return { add: () => undefined, end: () => undefined }
  const line = createLine(terminal)
  const countRows = createRowCounter(format)
  const begun = performance.now()
  let bytes = 0
  return {
    add: (chunk) => {
      bytes += chunk.length
      const rows = countRows(chunk)
      line.show((now) => {
        const counted = rows === undefined ? '' : `${rows.toLocaleString('en')} rows  `
        const rate = `${(bytes / 1e6 / ((now - begun) / 1000)).toFixed(1)} MB/s`
        return `${counted}${(bytes / 1e6).toFixed(1)} MB  ${rate}`
      })
    },
    end: line.clear,
  }
}

/** Counts rows or bytes of the current table; `end` clears the line. */
export const createTableProgress = (terminal: Terminal, unit: 'rows' | 'bytes') => {
  const line = createLine(terminal)
  return {
    add: (name: string, count: number): void =>
      line.show(() => `${name}  ${count.toLocaleString('en')} ${unit}`),
    end: line.clear,
  }
}

const quote = 0x22
const lineFeed = 0x0a

/** Rows so far: line ends outside of quotes, without the header; undefined when the format has no rows. */
const createRowCounter = (format: string): ((chunk: Buffer) => number | undefined) => {
  if (format !== 'csv' && format !== 'ndjson') return () => undefined
  let lines = format === 'csv' ? -1 : 0
  let isQuoted = false
  return (chunk) => {
    for (const byte of chunk) {
      if (byte === quote && format === 'csv') isQuoted = !isQuoted
      else if (byte === lineFeed && !isQuoted) lines += 1
    }
    return Math.max(lines, 0)
  }
}
