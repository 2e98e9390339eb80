/** Croatian texts. */

import { hr as cellTexts } from './cells/hr.ts'
import { hr as changes } from './changes/hr.ts'
import { hr as drafts } from './drafts/hr.ts'
import type { en } from './en.ts'
import { hr as keys } from './keys/hr.ts'
import { createPlural } from './plural.ts'
import { hr as selection } from './selection/hr.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  common: {
    calendar: 'Kalendar',
    cancel: 'Odustani',
    close: 'Zatvori',
    save: 'Spremi',
    retry: 'Pokušaj ponovno',
    loading: 'Učitavanje …',
    yes: 'Da',
    no: 'Ne',
    none: 'Nije navedeno',
    more: 'Više',
    signOut: 'Odjavi se',
    undo: 'Poništi',
    skipToContent: 'Prijeđi na sadržaj',
  },
  problem: {
    unreachable: 'Sustav ne odgovara.',
    unreachableHint: 'Ono što vidite ostaje na zaslonu. Veza se automatski ponovno uspostavlja.',
    notFound: 'Ta stranica ne postoji.',
    notFoundHint: 'Ne postoji, uklonjena je ili je vaša uloga ne smije vidjeti.',
    unexpected: 'Na ovoj je stranici došlo do pogreške.',
    stale: 'Ono što vidite možda nije ažurno.',
  },
  become: { title: 'Djeluj kao netko drugi' },
  navigation: {
    short: 'Brza navigacija',
    search: 'Pretraži',
    label: 'Glavna navigacija',
    open: 'Otvori navigaciju',
  },
  administration: {
    title: 'Administracija',
    others: 'Ostalo',
    deliveries: 'Dostave',
    jobs: 'Poslovi',
    explain: 'Tko dobiva obavijest',
    definitions: 'Definicije',
    roles: 'Prava uloga',
    mail: 'Zadržana e-pošta',
  },
  inbox: { title: 'Pretinac' },
  approvals: { title: 'Odobrenja' },
  palette: {
    title: 'Pretraži sve',
    none: 'Ništa nije pronađeno.',
  },
  views: {
    title: 'Prikazi',
    changed: 'promijenjeno',
    save: 'Spremi promjene',
    reset: 'Vrati spremljeni prikaz',
    saveAs: 'Spremi kao novi prikaz …',
    saveAsShort: 'Spremi kao …',
    resetShort: 'Vrati',
    resetAll: 'Vrati početni popis',
    remove: (name: string) => `Ukloni prikaz ${name}`,
    rename: (name: string) => `Preimenuj prikaz ${name} …`,
    allOf: (plural: string) => `Sve: ${plural}`,
    saved: 'spremljeno',
    sharing: { me: 'za mene', role: 'za moju ulogu', all: 'za sve' },
  },
  list: {
    export: 'Izvezi',
    find: 'Pretraži ovaj popis',
    rows: (count: number) => plural(count, { one: '# zapis', few: '# zapisa', other: '# zapisa' }),
    empty: 'Još nema zapisa.',
    emptyFiltered: 'Nijedan zapis ne odgovara filtru.',
    clearFilter: 'Ukloni filtar',
    columns: 'Stupci',
    columnsOf: (entity: string) => `Stupci: ${entity}`,
    columnMenu: (column: string) => `Izbornik stupca ${column}`,
    label: (entity: string) => `${entity}, popis`,
  },
  filter: {
    add: 'Filtar',
    title: 'Dodaj filtar',
  },
  cells: cellTexts,
  changes,
  keys,
  documents: { title: 'Dokumenti' },
  selection,
  settings: { title: 'Postavke' },
  tasks: { title: 'Moji zadaci', overdue: 'u kašnjenju', ofRecord: 'Zadaci' },
  drafts,
  day: { title: 'Moj dan' },
  record: {
    create: 'Izradi',
    newOf: (entity: string) => `Novo: ${entity}`,
    ownChanges: 'Moje promjene',
    comment: 'Komentar',
    discard: 'Odbaci',
    you: (name: string) => `${name} (vi)`,
    acting: (name: string, acting: string) => `${name} (djeluje: ${acting})`,
  },
}
