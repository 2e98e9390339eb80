/** Croatian texts of writing many records at once. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')
const records = { one: '# zapis', few: '# zapisa', other: '# zapisa' }
const numbers = { one: '#', few: '#', other: '#' }

export const hr: typeof en = {
  operations: { change: 'Promijeni polje', takeOwnership: 'Preuzmi vlasništvo', remove: 'Ukloni' },
  actions: 'Radnje',
  title: (name, count) => `${name}: ${plural(count, records)}`,
  field: 'Polje',
  clears: 'Bez vrijednosti polje postaje prazno.',
  check: 'Provjeri',
  checking: 'Provjerava se za koje je zapise to moguće. Još se ništa ne mijenja.',
  ready: (count) => `Moguće za ${plural(count, records)}.`,
  noneReady: 'Nije moguće ni za jedan od zapisa.',
  unchanged: (count) => `Promjena nije potrebna za ${plural(count, records)}.`,
  refused: (count) => `Nije moguće za ${plural(count, records)}:`,
  confirm: {
    change: (count) => `Promijeni ${plural(count, records)}`,
    takeOwnership: (count) => `Preuzmi vlasništvo: ${plural(count, records)}`,
    remove: (count) => `Ukloni ${plural(count, records)}`,
  },
  confirmAction: (name, count) => `${name}: ${plural(count, records)}`,
  back: 'Natrag',
  progress: 'Napredak',
  upTo: (count) => `najviše ${plural(count, numbers)}`,
  outOf: (done, total) => `${plural(done, numbers)} od ${plural(total, numbers)}`,
  stop: 'Zaustavi',
  stopHint: 'Zaustavlja se nakon dijela koji se upravo sprema.',
  stopping: 'Zaustavlja se …',
  done: (count) => `Gotovo: ${plural(count, records)}.`,
  undone: (count) =>
    plural(count, {
      one: '# zapis ponovno je kao prije.',
      few: '# zapisa ponovno su kao prije.',
      other: '# zapisa ponovno je kao prije.',
    }),
  notDone: (count) => `Nije učinjeno, ostaje odabrano: ${plural(count, records)}`,
  left: (count) => `Nije došlo na red: ${plural(count, records)}.`,
  unknown:
    'Sustav nije odgovorio, pa nije poznato jesu li posljednji zapisi spremljeni. Pogledajte ih prije novog pokušaja.',
  rows: 'Rezultat po zapisu',
  states: { done: 'gotovo', unchanged: 'promjena nije bila potrebna' },
  more: (count) => plural(count, { one: 'i još #', few: 'i još #', other: 'i još #' }),
  reasons: {
    'record.unknown': 'više ne postoji ili ga vaša uloga ne smije vidjeti',
    'caller.forbidden': 'vaša uloga to s njim ne smije učiniti',
    'caller.condition-not-met': 'pravilo vaše uloge to u sadašnjem stanju ne dopušta',
    'record.stale': 'netko ga je u međuvremenu promijenio',
    'workflow.action-not-open': 'radnja nije moguća u koraku u kojem je zapis',
    'workflow.condition-not-met': 'uvjet radnje za vas nije ispunjen, na primjer limit',
  },
}
