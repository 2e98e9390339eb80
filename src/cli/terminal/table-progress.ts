/** A progress line with the current table, on a terminal only. */
import type { Terminal } from '../command.ts'

const intervalMs = 100

/** Counts rows or bytes of the current table; `end` clears the line. */
export const createTableProgress = (terminal: Terminal, unit: 'rows' | 'bytes') => {
  let shownAt = 0
  return {
    add: (name: string, count: number): void => {
      const now = performance.now()
      if (!terminal.isInteractive || now - shownAt < intervalMs) return
      shownAt = now
      terminal.note(`\r\x1b[K${name}  ${count.toLocaleString('en')} ${unit}`)
    },
    end: (): void => {
      if (shownAt > 0) terminal.note('\r\x1b[K')
      shownAt = 0
    },
  }
}
