/** German texts of the columns of a list. */
import type { en } from './en.ts'

export const de: typeof en = {
  find: 'Spalte suchen',
  reset: 'Spalten zurücksetzen',
  sortAscending: 'Aufsteigend sortieren',
  sortDescending: 'Absteigend sortieren',
  noSort: 'Nicht sortieren',
  filterBy: 'Nach dieser Spalte filtern …',
  groupBy: 'Nach dieser Spalte gruppieren …',
  sort: 'Sortieren',
  group: 'Gruppieren',
  ascending: (column) => `${column}, aufsteigend`,
  descending: (column) => `${column}, absteigend`,
  pin: 'Am Anfang fixieren',
  unpin: 'Nicht mehr fixieren',
  wider: 'Breiter',
  narrower: 'Schmaler',
  fit: 'An den Inhalt anpassen',
  usualWidth: 'Übliche Breite',
  moveLeft: 'Richtung Anfang verschieben',
  moveRight: 'Richtung Ende verschieben',
  hide: 'Diese Spalte ausblenden',
}
