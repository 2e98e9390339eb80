/** German texts of the keys of a list. */
import type { en } from './en.ts'

export const de: typeof en = {
  title: 'In der Liste',
  open: 'Datensatz öffnen',
  menu: 'Menü der Zelle oder des Spaltenkopfs',
  select: 'Datensatz auswählen oder abwählen',
  selectToo: 'Dasselbe mit einem Buchstaben',
  extend: 'Bis zur nächsten Zeile auswählen',
  range: 'Bis zu dieser Zeile auswählen',
  all: 'Alle passenden auswählen',
  none: 'Nichts auswählen',
  heads: 'Zu den Spaltenköpfen, aus der ersten Zeile',
  sort: 'Spaltenkopf: sortieren',
  sortToo: 'Spaltenkopf: zusätzlich sortieren',
  wider: 'Spaltenkopf: breiter',
  narrower: 'Spaltenkopf: schmaler',
  forward: 'Spaltenkopf: Richtung Ende verschieben',
  back: 'Spaltenkopf: Richtung Anfang verschieben',
}
