/** Croatian texts. */

import { hr as approvals } from './approvals/hr.ts'
import { hr as cellTexts } from './cells/hr.ts'
import { hr as changes } from './changes/hr.ts'
import { hr as day } from './day/hr.ts'
import { hr as documentTexts } from './documents/hr.ts'
import { hr as drafts } from './drafts/hr.ts'
import type { en } from './en.ts'
import { hr as keys } from './keys/hr.ts'
import { createPlural } from './plural.ts'
import { hr as recordPageTexts } from './record-page/hr.ts'
import { hr as selection } from './selection/hr.ts'
import { hr as settings } from './settings/hr.ts'
import { hr as tasks } from './tasks/hr.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  common: {
    cancel: 'Odustani',
    close: 'Zatvori',
    save: 'Spremi',
    retry: 'Pokušaj ponovno',
    loading: 'Učitavanje …',
    yes: 'Da',
    no: 'Ne',
    none: 'Nije navedeno',
    more: 'Više',
    signOut: 'Odjava',
    undo: 'Poništi',
    skipToContent: 'Prijeđi na sadržaj',
  },
  problem: {
    unreachable: 'Servis ne odgovara.',
    unreachableHint: 'Ono što je na ekranu ostaje. Pokušaj se ponavlja sam.',
    notFound: 'Ta stranica ne postoji.',
    notFoundHint: 'Ne postoji, uklonjena je ili je vaša uloga ne smije vidjeti.',
    unexpected: 'Na ovoj je stranici došlo do pogreške.',
  },
  signIn: {
    title: (name: string) => `Prijava u ${name}`,
    withProvider: 'Prijava',
    apiKey: 'API ključ',
    apiKeyHint: 'docket api-key create izrađuje ključ.',
    withKey: 'Prijava ključem',
    useLink:
      'Otvorite poveznicu koju je servis ispisao pri pokretanju. Vrijedi jednom, deset minuta.',
    newLink: 'npm run docket -- login ispisuje novu.',
    ended: 'Vaša je sesija završila. Prijavite se ponovno; ono što ste napisali još je tu.',
    errors: {
      expired: 'Prijava je trajala predugo ili je već iskorištena. Počnite ponovno.',
      refused: 'Pružatelj identiteta nije vas prijavio.',
      unknown: 'Ovdje za vas nema aktivnog korisnika. Pitajte administratora.',
      unavailable: 'Pružatelj identiteta ne odgovara. Pokušajte kasnije.',
      failed: 'Prijava nije uspjela.',
    },
    become: 'Pogledaj konzolu kao netko drugi',
  },
  navigation: {
    short: 'Brza navigacija',
    search: 'Traži',
    label: 'Glavna navigacija',
    open: 'Otvori navigaciju',
  },
  administration: {
    title: 'Administracija',
    deliveries: 'Dostave',
    jobs: 'Poslovi',
    explain: 'Tko je obaviješten',
    definitions: 'Definicije',
    roles: 'Uloge',
    mail: 'Zadržana e-pošta',
    whoIsTold: 'Tko je obaviješten?',
    whyMe: 'Zašto sam ovo dobio?',
  },
  inbox: {
    title: 'Pristiglo',
    unread: (count: number) => `Nepročitano ${count}`,
    all: 'Sve',
    readAll: 'Sve dovde pročitano',
    empty: 'Ništa novo. Ono što se vas tiče pojavljuje se ovdje samo.',
    notification: 'Obavijest',
    openRecord: 'Otvori zapis',
    markUnread: 'Označi kao nepročitano',
    unreadMark: 'Nepročitano:',
    due: (text: string) => `Rok ${text}`,
  },
  approvals,
  palette: {
    title: 'Traži sve',
    results: 'Stranice i zapisi',
    none: 'Ništa ne odgovara.',
  },
  views: {
    title: 'Pogledi',
    changed: 'promijenjeno',
    save: 'Spremi promjene',
    reset: 'Vrati na spremljeni pogled',
    saveAs: 'Spremi kao novi pogled …',
    remove: (name: string) => `Ukloni pogled ${name}`,
    none: 'Bez pogleda',
    saveTitle: 'Spremi ovaj popis kao pogled',
    name: 'Naziv',
    sharedWith: 'Za',
    sharing: { me: 'mene', role: 'moju ulogu', all: 'sve' },
  },
  list: {
    export: 'Izvezi',
    find: 'Traži u ovom popisu',
    rows: (count: number) => plural(count, { one: '# zapis', few: '# zapisa', other: '# zapisa' }),
    empty: 'Još nema zapisa.',
    emptyFiltered: 'Nijedan zapis ne odgovara filtru.',
    clearFilter: 'Ukloni filtar',
    columns: 'Stupci',
    columnsOf: (entity: string) => `Stupci: ${entity}`,
    resetColumns: 'Kao na početku',
    findColumn: 'Nađi stupac',
    sortAscending: 'Poredaj uzlazno',
    sortDescending: 'Poredaj silazno',
    noSort: 'Bez redoslijeda',
    hide: 'Sakrij ovaj stupac',
    moveLeft: 'Pomakni prema početku',
    moveRight: 'Pomakni prema kraju',
    columnMenu: (column: string) => `Izbornik stupca ${column}`,
    label: (entity: string) => `${entity}, popis`,
  },
  filter: {
    groups: 'Skupine …',
    add: 'Filtar',
    title: 'Dodaj filtar',
    field: 'Polje',
    condition: 'Uvjet',
    value: 'Vrijednost',
    apply: 'Primijeni',
    edit: (text: string) => `Promijeni filtar: ${text}`,
    removeOne: (text: string) => `Ukloni filtar: ${text}`,
    values: 'Vrijednosti, svaka u svom retku',
    all: 'sve od',
    any: 'bilo što od',
    not: 'nije',
    empty: 'je prazno',
    filled: 'nije prazno',
    operators: {
      $eq: 'je',
      $ne: 'nije',
      $gt: 'je veće od',
      $gte: 'je najmanje',
      $lt: 'je manje od',
      $lte: 'je najviše',
      $in: 'je jedno od',
      $nin: 'nije nijedno od',
      $like: 'odgovara uzorku',
      $ilike: 'sadrži, bez obzira na velika slova',
      $startsWith: 'počinje s',
      $contains: 'sadrži',
      $null: 'je prazno',
    },
  },
  cells: cellTexts,
  changes,
  keys,
  recordPage: recordPageTexts,
  documents: documentTexts,
  selection,
  settings,
  tasks,
  drafts,
  day,
  record: {
    create: 'Izradi',
    newOf: (entity: string) => `Novo: ${entity}`,
    history: 'Povijest',
    noHistory: 'Otkad je zapis učitan, ništa se nije promijenilo.',
    service: 'Servis',
    comment: 'Komentar',
    unsaved: (count: number) =>
      plural(count, {
        one: '# promjena nije spremljena',
        few: '# promjene nisu spremljene',
        other: '# promjena nije spremljeno',
      }),
    conflicts: (count: number) =>
      plural(count, {
        one: '# polje promijenio je i netko drugi: odaberite vrijednost.',
        few: '# polja promijenio je i netko drugi: odaberite vrijednosti.',
        other: '# polja promijenio je i netko drugi: odaberite vrijednosti.',
      }),
    theirs: (value: string) => `Spremio netko drugi: ${value || '–'}`,
    merged:
      'Netko je drugi u međuvremenu spremio; te su promjene sada vidljive. Spremite ponovno da ostanu obje.',
    keepMine: 'Zadrži moju',
    takeTheirs: 'Preuzmi tuđu',
    discard: 'Odbaci',
    you: (name: string) => `${name} (vi)`,
  },
}
