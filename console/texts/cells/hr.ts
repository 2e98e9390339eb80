/** Croatian texts of editing in the cells of a list. */
import type { en } from './en.ts'

export const hr: typeof en = {
  shortcut: 'Uredi ćeliju popisa',
  goToRow: 'Idi na redak',
  rowOf: (count: number) => `Redak, od 1 do ${count}`,
  go: 'Idi',
  menu: (column: string) => `Izbornik ćelije, ${column}`,
  editCell: 'Uredi',
  only: (filter: string) => `Filtriraj: ${filter}`,
  copy: 'Kopiraj vrijednost',
  cell: (column: string, record: string) => `${column}, ${record}`,
  fixed: (column: string) => `Stupac ${column} ovdje se ne može mijenjati.`,
  refused: 'Nije spremljeno.',
  conflict: 'Netko drugi spremio je drugu vrijednost.',
  marks: {
    left: 'više ne odgovara',
    gone: 'uklonjen',
  },
}
