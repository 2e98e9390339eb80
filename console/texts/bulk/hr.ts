/** Croatian texts of writing many records at once. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')
const records = { one: '# zapis', few: '# zapisa', other: '# zapisa' }
const numbers = { one: '#', few: '#', other: '#' }

export const hr: typeof en = {
  operations: { change: 'Promijeni polje', takeOwnership: 'Preuzmi', remove: 'Ukloni' },
  actions: 'Radnje',
  title: (name, count) => `${name}: ${plural(count, records)}`,
  field: 'Polje',
  clears: 'Bez vrijednosti polje postaje prazno.',
  check: 'Provjeri',
  checking: 'Provjerava se koji se zapisi mogu zapisati. Još se ništa ne mijenja.',
  ready: (count) =>
    plural(count, {
      one: '# zapis može se zapisati.',
      few: '# zapisa mogu se zapisati.',
      other: '# zapisa može se zapisati.',
    }),
  noneReady: 'Nijedan se zapis ne može zapisati.',
  unchanged: (count) =>
    plural(count, { one: '# je već takav.', few: '# su već takva.', other: '# je već takvih.' }),
  refused: (count) => plural(count, { one: '# ne može:', few: '# ne mogu:', other: '# ne može:' }),
  confirm: {
    change: (count) => `Promijeni ${plural(count, records)}`,
    takeOwnership: (count) => `Preuzmi ${plural(count, records)}`,
    remove: (count) => `Ukloni ${plural(count, records)}`,
  },
  confirmAction: (name, count) => `${name}: ${plural(count, records)}`,
  back: 'Natrag',
  progress: 'Napredak',
  reached: (done, total) => `${plural(done, numbers)} od ${plural(total, numbers)}`,
  stop: 'Zaustavi',
  stopHint: 'Zaustavlja se nakon dijela koji se upravo zapisuje.',
  stopping: 'Zaustavlja se …',
  done: (count) =>
    plural(count, {
      one: '# zapis je zapisan.',
      few: '# zapisa su zapisana.',
      other: '# zapisa je zapisano.',
    }),
  undone: (count) =>
    plural(count, {
      one: '# zapis opet je kao prije.',
      few: '# zapisa opet su kao prije.',
      other: '# zapisa opet je kao prije.',
    }),
  notDone: (count) =>
    plural(count, {
      one: '# nije zapisan i ostaje odabran:',
      few: '# nisu zapisana i ostaju odabrana:',
      other: '# nije zapisano i ostaje odabrano:',
    }),
  left: (count) =>
    plural(count, {
      one: '# zapis nije došao na red.',
      few: '# zapisa nisu došla na red.',
      other: '# zapisa nije došlo na red.',
    }),
  unknown:
    'Usluga nije odgovorila. Ne zna se jesu li zadnji poslani zapisi zapisani; pogledajte ih prije novog pokušaja.',
  rows: 'Ishod po zapisu',
  states: { done: 'zapisano', unchanged: 'već je bilo tako' },
  more: (count) => plural(count, { one: 'i još #', few: 'i još #', other: 'i još #' }),
  reasons: {
    'record.unknown': 'više ne postoji ili ga vaša uloga ne smije vidjeti',
    'caller.forbidden': 'vaša uloga to s njim ne smije',
    'record.stale': 'netko ga je u međuvremenu promijenio',
    'workflow.action-not-open': 'radnja nije otvorena u koraku zapisa',
  },
}
