/** German texts of editing in the cells of a list. */
import type { en } from './en.ts'

export const de: typeof en = {
  shortcut: 'Zelle einer Liste bearbeiten',
  goToRow: 'Zu einer Zeile springen',
  rowOf: (count: number) => `Zeile, 1 bis ${count}`,
  go: 'Springen',
  menu: (column: string) => `Menü der Zelle, ${column}`,
  editCell: 'Bearbeiten',
  only: (filter: string) => `Filtern: ${filter}`,
  copy: 'Wert kopieren',
  cell: (column: string, record: string) => `${column} von ${record}`,
  fixed: (column: string) => `Die Spalte ${column} kann hier nicht geändert werden.`,
  refused: 'Nicht gespeichert.',
  conflict: 'Jemand anderes hat einen anderen Wert gespeichert.',
  marks: {
    left: 'passt nicht mehr',
    gone: 'entfernt',
  },
}
