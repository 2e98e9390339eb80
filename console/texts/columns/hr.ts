/** Croatian texts of the columns of a list. */
import type { en } from './en.ts'

export const hr: typeof en = {
  find: 'Pronađi stupac',
  reset: 'Vrati početne stupce',
  sortAscending: 'Poredaj uzlazno',
  sortDescending: 'Poredaj silazno',
  noSort: 'Bez poretka',
  filterBy: 'Filtriraj po ovom stupcu …',
  groupBy: 'Grupiraj po ovom stupcu …',
  sort: 'Poredaj',
  group: 'Grupiraj',
  ascending: (column) => `${column}, uzlazno`,
  descending: (column) => `${column}, silazno`,
  pin: 'Prikvači na početak',
  unpin: 'Otkvači',
  wider: 'Šire',
  narrower: 'Uže',
  fit: 'Prilagodi sadržaju',
  usualWidth: 'Uobičajena širina',
  moveLeft: 'Pomakni prema početku',
  moveRight: 'Pomakni prema kraju',
  hide: 'Sakrij ovaj stupac',
}
