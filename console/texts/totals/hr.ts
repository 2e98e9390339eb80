/** Croatian texts of sums and groups of a list. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  title: 'Zbrojevi',
  column: 'Stupac',
  of: 'Obuhvat',
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
      one: 'Prikazane su samo prve grupe (#). Filtrirajte popis da biste vidjeli ostale.',
      few: 'Prikazane su samo prve grupe (#). Filtrirajte popis da biste vidjeli ostale.',
      other: 'Prikazane su samo prve grupe (#). Filtrirajte popis da biste vidjeli ostale.',
    }),
  unitsIncomplete: (count) =>
    plural(count, {
      one: 'Prikazane su samo prve jedinice (#). Filtrirajte popis da biste vidjeli ostale.',
      few: 'Prikazane su samo prve jedinice (#). Filtrirajte popis da biste vidjeli ostale.',
      other: 'Prikazane su samo prve jedinice (#). Filtrirajte popis da biste vidjeli ostale.',
    }),
  sumsIncomplete:
    'Nisu prikazani svi zbrojevi: previše je jedinica. Filtrirajte popis da biste vidjeli ostale.',
  moreUnits: (count) =>
    plural(count, {
      one: 'i još # jedinica',
      few: 'i još # jedinice',
      other: 'i još # jedinica',
    }),
  mixedOrder: (column, units) =>
    `Stupac ${column} poredan je samo po broju, bez obzira na jedinicu: ${units}.`,
  orderFirst: (unit) => `Prvo poredaj prema: ${unit}`,
  none: 'Nijedan zapis ne odgovara.',
}
