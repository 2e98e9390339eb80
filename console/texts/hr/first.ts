/** Croatian texts that the first list needs. */
import type { first as english } from '../en/first.ts'
import { createPlural } from '../plural.ts'

const plural = createPlural('hr')

export const first: typeof english = {
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
    users: 'Korisnici',
    queue: 'Dostave i poslovi',
    audit: 'Revizijski zapis',
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
    import: 'Uvezi',
    find: 'Pretraži ovaj popis',
    rows: (count: number) => plural(count, { one: '# zapis', few: '# zapisa', other: '# zapisa' }),
    columns: 'Stupci',
    columnsOf: (entity: string) => `Stupci: ${entity}`,
    columnMenu: (column: string) => `Izbornik stupca ${column}`,
    label: (entity: string) => `${entity}, popis`,
  },
  filter: {
    add: 'Filtar',
    title: 'Dodaj filtar',
  },
  cells: {
    shortcut: 'Uredi ćeliju popisa',
    cell: (column: string, record: string) => `${column}, ${record}`,
    fixed: (column: string) => `Stupac ${column} ovdje se ne može mijenjati.`,
    refused: 'Nije spremljeno.',
    conflict: 'Netko drugi spremio je drugu vrijednost.',
    marks: {
      left: 'više ne odgovara',
      gone: 'uklonjen',
      unread: 'više nije čitljiv',
    },
  },
  // What others change while a page is open.
  changes: {
    newRecords: (count: number) =>
      plural(count, { one: '# novi zapis', few: '# nova zapisa', other: '# novih zapisa' }),
    load: 'Prikaži',
  },
  keys: {
    title: 'Tipkovni prečaci',
    names: {
      Ctrl: 'Ctrl',
      Shift: 'Shift',
      Enter: 'Enter',
      Space: 'razmaknica',
      Escape: 'Esc',
    } as Readonly<Record<string, string>>,
    create: 'Izradi zapis',
  },
  documents: { title: 'Dokumenti' },
  selection: {
    totals: 'Zbrojevi',
    export: 'Izvezi odabrane zapise',
    label: 'Odabir',
    hint: 'Odaberite zapise da biste ih zajedno mijenjali ili izvezli: tipkom x, tipkom Shift i klikom ili sve odjednom.',
    select: (name) => `Odaberi: ${name}`,
    selectAll: 'Odaberi sve koji odgovaraju',
    everything: 'Svi',
    clear: 'Poništi odabir',
    selected: (count) =>
      plural(count, { one: '# odabran', few: '# odabrana', other: '# odabranih' }),
    allSelected: (count) =>
      plural(count, {
        one: 'Odabrani svi (#)',
        few: 'Odabrani svi (#)',
        other: 'Odabrani svi (#)',
      }),
    all: (count) =>
      plural(count, { one: 'Odaberi sve (#)', few: 'Odaberi sve (#)', other: 'Odaberi sve (#)' }),
    allShort: (count) => plural(count, { one: 'Svi (#)', few: 'Svi (#)', other: 'Svi (#)' }),
    tooMany: (limit) =>
      plural(limit, {
        one: 'Pojedinačno se može odabrati najviše # zapis. Umjesto toga odaberite sve koji odgovaraju.',
        few: 'Pojedinačno se mogu odabrati najviše # zapisa. Umjesto toga odaberite sve koji odgovaraju.',
        other:
          'Pojedinačno se može odabrati najviše # zapisa. Umjesto toga odaberite sve koji odgovaraju.',
      }),
  },
  settings: { title: 'Postavke' },
  tasks: { title: 'Moji zadaci', overdue: 'u kašnjenju' },
  day: { title: 'Moj dan' },
  removed: { title: 'Uklonjeno' },
  record: {
    create: 'Izradi',
    ownChanges: 'Moje promjene',
    you: (name: string) => `${name} (vi)`,
    acting: (name: string, acting: string) => `${name} (djeluje: ${acting})`,
  },
}
