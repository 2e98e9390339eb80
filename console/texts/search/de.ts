/** German texts of the search in all records. */
import type { en } from './en.ts'

export const de: typeof en = {
  title: 'Suche',
  results: 'Seiten und Datensätze',
  all: 'Alle Ergebnisse',
  help: 'Findet Datensätze nach Name, Titel, ID und anderen eindeutigen Werten.',
  none: (words: string) => `Kein Name, kein Titel und keine ID enthält „${words}“.`,
  noneHelp: 'Versuchen Sie weniger Buchstaben, oder suchen Sie in allen Feldern:',
  lists: 'Auch in anderen Feldern',
  more: 'Mehr anzeigen',
  moreOf: (plural: string) => `Mehr anzeigen: ${plural}`,
  incomplete: 'Nicht bis zum Ende durchsucht, weil es zu lange dauert:',
}
