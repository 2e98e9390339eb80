/** A progress line of a download, on a terminal only. */
import type { Terminal } from '../command.ts'

export type Progress = {
  readonly add: (chunk: Buffer) => void
  /** Clears the line. */
  readonly end: () => void
}

const intervalMs = 100

type Options = {
  readonly format: string
  /** Whether it can be shown without mixing with other output. */
  readonly isShown: boolean
}

/** Counts bytes, and rows if the format allows it; silent without a terminal. */
export const createProgress = (terminal: Terminal, { format, isShown }: Options): Progress => {
  if (!terminal.isInteractive || !isShown) return { add: () => undefined, end: () => undefined }
  const countRows = createRowCounter(format)
  const begun = performance.now()
  let bytes = 0
  let rows: number | undefined
  let shownAt = 0
  return {
    add: (chunk) => {
      bytes += chunk.length
      rows = countRows(chunk)
      const now = performance.now()
      if (now - shownAt < intervalMs) return
      shownAt = now
      const seconds = (now - begun) / 1000
      const counted = rows === undefined ? '' : `${rows.toLocaleString('en')} rows  `
      const rate = `${(bytes / 1e6 / seconds).toFixed(1)} MB/s`
      terminal.note(`\r\x1b[K${counted}${(bytes / 1e6).toFixed(1)} MB  ${rate}`)
    },
    end: () => {
      if (shownAt > 0) terminal.note('\r\x1b[K')
    },
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
