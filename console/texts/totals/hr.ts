/** Croatian texts of sums and groups of a list. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  title: 'Zbrojevi',
  column: 'Stupac',
  of: 'Od',
  names: { sum: 'Zbroj', avg: 'Prosjek', min: 'Najmanja vrijednost', max: 'Najveća vrijednost' },
  count: 'Zapisi',
  all: 'Svi koji odgovaraju',
  selected: 'Odabrani',
  groupTitle: (column) => `Grupirano po: ${column}`,
  group: 'Vrijednost',
  sumOf: (column) => `Zbroj: ${column}`,
  countOnly: 'Samo broj zapisa',
  exportGroup: (value: string) => `Izvezi: ${value}`,
  filterBy: (value) => `Prikaži samo: ${value}`,
  empty: 'prazno',
  incomplete: (count) =>
    plural(count, {
      one: 'Vidi se samo prva # grupa. Filtrirajte popis da vidite ostale.',
      few: 'Vide se samo prve # grupe. Filtrirajte popis da vidite ostale.',
      other: 'Vidi se samo prvih # grupa. Filtrirajte popis da vidite ostale.',
    }),
  unitsIncomplete: (count) =>
    plural(count, {
      one: 'Vidi se samo prva # jedinica. Filtrirajte popis da vidite ostale.',
      few: 'Vide se samo prve # jedinice. Filtrirajte popis da vidite ostale.',
      other: 'Vidi se samo prvih # jedinica. Filtrirajte popis da vidite ostale.',
    }),
  sumsIncomplete:
    'Ne vide se svi zbrojevi: previše je jedinica. Filtrirajte popis da vidite ostale.',
  moreUnits: (count) =>
    plural(count, {
      one: 'i još # jedinica',
      few: 'i još # jedinice',
      other: 'i još # jedinica',
    }),
  mixedOrder: (column, units) =>
    `${column} je poredano samo po broju, bez obzira na jedinicu: ${units}.`,
  orderFirst: (unit) => `Prvo poredaj prema: ${unit}`,
  none: 'Nijedan zapis ne odgovara.',
}
