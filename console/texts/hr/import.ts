/** Tekstovi uvoza datoteka. */
import type { importing as english } from '../en/import.ts'
import { createPlural } from '../plural.ts'

const plural = createPlural('hr')
const { format } = new Intl.NumberFormat('hr')

export const importing: typeof english = {
  title: (entity: string) => `Uvoz: ${entity}`,
  toList: (entity: string) => `Na popis: ${entity}`,
  file: {
    title: '1. Datoteka',
    drop: 'Ovdje ispustite datoteku: CSV, Excelovu radnu knjigu (xlsx) ili JSON.',
    choose: 'Odaberi datoteku',
    other: 'Odaberi drugu datoteku',
    format: 'Format',
    formats: { csv: 'CSV', xlsx: 'Excel (xlsx)', ndjson: 'NDJSON', json: 'JSON' },
    encoding: 'Kodiranje',
    separator: 'Između ćelija',
    separators: {
      comma: 'Zarez',
      semicolon: 'Točka-zarez',
      tab: 'Tabulator',
      bar: 'Crta |',
    },
    sheet: 'List',
    empty: 'Datoteka je prazna.',
    correct: 'Gore ispravite kako je protumačena ili odaberite drugu datoteku.',
    notes: 'Što je pronađeno u datoteci',
  },
  columns: {
    title: '2. Stupci',
    head: 'Stupac datoteke',
    samples: 'Primjeri',
    field: 'Postaje',
    fieldOf: (head: string) => `${head} postaje`,
    choose: 'Odaberite …',
    leaveOut: 'Izostavi',
    leaveOutAll: (columns: number) =>
      plural(columns, {
        one: 'Izostavi # stupac bez polja',
        few: 'Izostavi # stupca bez polja',
        other: 'Izostavi # stupaca bez polja',
      }),
    unknown: 'Za njega nije poznato polje. Odaberite ga ili izostavite stupac.',
    noRows: 'Datoteka nema redaka ispod zaglavlja.',
    open: (columns: number) =>
      plural(columns, {
        one: '# stupac je označen: učinite što ondje piše ili ga izostavite.',
        few: '# stupca su označena: učinite što ondje piše ili ih izostavite.',
        other: '# stupaca je označeno: učinite što ondje piše ili ih izostavite.',
      }),
    decimal: (head: string) => `Brojevi u stupcu ${head}`,
    decimals: { point: '1,234.50', comma: '1.234,50' },
    dates: (head: string) => `Dani u stupcu ${head}`,
    dayOrders: {
      DMY: 'dan, mjesec, godina',
      MDY: 'mjesec, dan, godina',
      YMD: 'godina, mjesec, dan',
    },
    found: 'kako je pronađeno',
    missing: (labels: string) => `Nijedan stupac ne postaje obavezno polje: ${labels}.`,
  },
  mode: {
    title: 'Što redci čine',
    modes: {
      insert: 'Samo izrađuju nove zapise',
      update: 'Samo mijenjaju postojeće zapise',
      insertOrUpdate: 'Mijenjaju postojeće zapise, a ostale izrađuju',
    },
    match: 'Zapisi se nalaze prema',
    emptyCells: 'Prazna ćelija',
    emptyRules: {
      keep: 'ostavlja polje kakvo jest',
      clear: 'prazni polje',
      default: 'daje polju zadanu vrijednost',
    },
  },
  preview: { title: 'Prvi redci kakvi će biti', row: 'Redak' },
  saved: {
    title: 'Spremljeni uvoz',
    none: 'Nijedan',
    save: 'Spremi za sljedeću datoteku',
    name: 'Naziv',
    remove: (name: string) => `Ukloni: ${name}`,
    done: 'Spremljeno. Nudi se za datoteke s tim zaglavljima.',
  },
  check: {
    sending: 'Datoteka se šalje …',
    start: 'Provjeri sve retke',
    nothing: 'Još se ništa ne zapisuje.',
    title: '3. Provjera',
    change: 'Promijeni datoteku ili stupce',
    reading: (rows: number) =>
      plural(rows, {
        one: 'Datoteka se čita: # redak',
        few: 'Datoteka se čita: # retka',
        other: 'Datoteka se čita: # redaka',
      }),
    checking: (step: number, steps: number) => `Provjera redaka: ${step}. korak od ${steps}`,
    trying: (done: number, all: number) =>
      `Provjera redaka probnim zapisivanjem: ${format(done)} od ${format(all)}`,
    counts: 'Što će uvoz učiniti',
    rows: 'redaka',
    created: 'novih',
    changed: 'promijenjenih',
    unchanged: 'nepromijenjenih',
    faulty: 's pogreškom',
    failed: 'Uvoz nije uspio.',
    noFaults: 'Nijedan redak nema pogrešku.',
  },
  faults: {
    title: (rows: number) =>
      plural(rows, {
        one: '# redak ima pogrešku',
        few: '# retka imaju pogreške',
        other: '# redaka ima pogreške',
      }),
    help: 'Ovdje ispravite označene ćelije i ponovno provjerite, ili uvezite ostale retke bez ovih.',
    helpLeft: 'Ovdje ispravite označene ćelije i provjerite ih; tada se mogu uvesti i ovi redci.',
    table: 'Redci s pogreškama',
    row: 'Redak',
    whole: 'Cijeli redak',
    cell: (column: string, row: number) => `${column}, redak ${row}`,
    alike: (rows: number) =>
      plural(rows, {
        one: 'u # takvom retku',
        few: 'u sva # takva retka',
        other: 'u svih # takvih redaka',
      }),
    again: (cells: number) =>
      plural(cells, {
        one: 'Ponovno provjeri s # ispravkom',
        few: 'Ponovno provjeri s # ispravka',
        other: 'Ponovno provjeri s # ispravaka',
      }),
    none: 'Ponovno provjeri',
    shown: (shown: number, all: number) =>
      `Prikazano je prvih ${format(shown)} od ${format(all)} redaka.`,
    more: 'Prikaži više',
    download: 'Spremi retke s pogreškama (CSV)',
    noRecord: 'Takvog zapisa nema ili ga ne smijete vidjeti.',
    repeated: (row: number, heads: string) => `Isto već stoji u retku ${row}: ${heads}.`,
    leadsToFault: (row: number) => `To vodi na redak ${row}, koji ima pogrešku.`,
    leadsBack: 'To vodi na retke koji vode natrag na ovaj.',
    sameRecord: (row: number) => `Pripada istom zapisu kao redak ${row}, koji ima pogrešku.`,
    choices: (list: string) => `Unesite ${list}.`,
    decimals: (count: number) =>
      plural(count, {
        one: 'Unesite najviše # decimalu.',
        few: 'Unesite najviše # decimale.',
        other: 'Unesite najviše # decimala.',
      }),
  },
  run: {
    title: '4. Uvoz',
    start: (rows: number) =>
      plural(rows, { one: 'Uvezi # redak', few: 'Uvezi # retka', other: 'Uvezi # redaka' }),
    startOthers: (rows: number) =>
      plural(rows, {
        one: 'Uvezi # redak bez pogreške',
        few: 'Uvezi # retka bez pogreške',
        other: 'Uvezi # redaka bez pogreške',
      }),
    writing: (done: number, all: number) => `Uvezeno je ${format(done)} od ${format(all)} redaka.`,
    stop: 'Zaustavi',
    goOn: 'Nastavi',
    stopped: 'Uvoz je zaustavljen. Što je uvezeno, ostaje; ostalo čeka.',
    done: 'Uvoz je gotov.',
    left: (rows: number) =>
      plural(rows, {
        one: '# redak s pogreškom nije uvezen.',
        few: '# retka s pogreškama nisu uvezena.',
        other: '# redaka s pogreškama nije uvezeno.',
      }),
    records: 'Prikaži te zapise',
    another: 'Uvezi drugu datoteku',
  },
  undo: {
    ask: 'Poništi ovaj uvoz …',
    removes: (records: number) =>
      plural(records, {
        one: '# izrađeni zapis bit će uklonjen.',
        few: '# izrađena zapisa bit će uklonjena.',
        other: '# izrađenih zapisa bit će uklonjeno.',
      }),
    takesBack: (records: number) =>
      plural(records, {
        one: '# promijenjeni zapis dobit će natrag prijašnje vrijednosti.',
        few: '# promijenjena zapisa dobit će natrag prijašnje vrijednosti.',
        other: '# promijenjenih zapisa dobit će natrag prijašnje vrijednosti.',
      }),
    keeps: (records: number) =>
      plural(records, {
        one: '# zapis ostaje jer je otada promijenjen:',
        few: '# zapisa ostaju jer su otada promijenjeni:',
        other: '# zapisa ostaje jer su otada promijenjeni:',
      }),
    start: (records: number) =>
      plural(records, {
        one: 'Poništi # zapis',
        few: 'Poništi # zapisa',
        other: 'Poništi # zapisa',
      }),
    going: (records: number) =>
      plural(records, {
        one: 'Poništava se: preostaje # zapis.',
        few: 'Poništava se: preostaju # zapisa.',
        other: 'Poništava se: preostaje # zapisa.',
      }),
    done: 'Uvoz je poništen.',
  },
  list: {
    title: 'Vaši uvozi',
    file: 'Datoteka',
    unnamed: 'Bez imena',
    state: 'Stanje',
    rows: 'Redci',
    at: 'Kada',
    open: (file: string) => `Otvori uvoz datoteke ${file}`,
    states: {
      reading: 'čita se',
      checking: 'provjerava se',
      ready: 'provjereno, nije uvezeno',
      writing: 'uvozi se',
      stopped: 'zaustavljeno',
      done: 'uvezeno',
      failed: 'nije uspjelo',
      undoing: 'poništava se',
      undone: 'poništeno',
    },
  },
}
