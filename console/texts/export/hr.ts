/** Croatian texts of the export of a list. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  title: (entity: string) => `Izvoz: ${entity}`,
  search: (words: string) => `Pretraga: ${words}`,
  filter: (words: string) => `Filtar: ${words}`,
  noFilter: 'Bez filtra: svi zapisi.',
  ownOnly: 'Vaša uloga izvozi samo vaše zapise.',
  rows: 'Zapisi',
  rowsSelected: (count: number) =>
    plural(count, { one: 'Odabrani (#)', few: 'Odabrani (#)', other: 'Odabrani (#)' }),
  rowsAll: (count: number) =>
    plural(count, {
      one: 'Svi koji odgovaraju (#)',
      few: 'Svi koji odgovaraju (#)',
      other: 'Svi koji odgovaraju (#)',
    }),
  format: 'Format',
  formats: {
    csv: 'CSV',
    xlsx: 'Excel (xlsx)',
    ndjson: 'NDJSON',
    json: 'JSON',
    parquet: 'Parquet',
  },
  forExcel: 'Za Excel (otvara se dvostrukim klikom)',
  names: 'Nazivi umjesto ključeva: izbori, koraci, zaglavlja',
  columnsChosen: (count: number) => `Stupci (${count})`,
  columnsOfList: (count: number) => `Kao na popisu (${count})`,
  columnsOfDefinition: (count: number) => `Kao što je određeno za izvoz (${count})`,
  order: 'Stupci po redu',
  orderHint: 'Povlačenje ili Alt sa strelicom premješta stupac, Delete ga uklanja.',
  up: 'Gore',
  down: 'Dolje',
  remove: 'Ukloni',
  addColumn: 'Dodaj stupac',
  moved: (column: string, place: number, count: number) =>
    `Stupac ${column} sada je ${place}. od ${count}.`,
  removed: (column: string) => `Stupac ${column} je uklonjen.`,
  omitted: (count: number) =>
    plural(count, {
      one: '# stupac je izostavljen jer ga vaša uloga ne smije čitati.',
      few: '# stupca su izostavljena jer ih vaša uloga ne smije čitati.',
      other: '# stupaca je izostavljeno jer ih vaša uloga ne smije čitati.',
    }),
  preview: 'Prvi redci, kao u datoteci',
  tooLong: 'Redci su predugački da bi se ovdje prikazali.',
  parquet: 'Parquet ima tipizirane stupce s ovim vrijednostima, koje su ovdje prikazane kao JSON.',
  commands: 'U naredbenom retku',
  token: 'Za obje naredbe potreban je API-ključ ili token u varijabli TOKEN.',
  copy: (name: string) => `Kopiraj naredbu ${name}`,
  copyShort: 'Kopiraj',
  copied: 'Kopirano',
  start: 'Pokreni izvoz',
  stop: 'Zaustavi izvoz',
  progress: 'Napredak izvoza',
  rowsPerSecond: (rows: number) =>
    plural(rows, { one: '# redak/s', few: '# retka/s', other: '# redaka/s' }),
  tooLarge: (limit: string) =>
    `Datoteka je veća od ${limit}, a toliko ovaj preglednik ne može spremiti. Upotrijebite jednu od naredaba u nastavku.`,
  whole: (records: string, size: string) => `Potpuno i provjereno: ${records}, ${size}.`,
  stored: 'Datoteka je spremljena.',
  save: (name: string) => `Ponovno spremi: ${name}`,
  failures: {
    refused: 'Izvoz nije počeo.',
    cut: 'Izvoz je prekinut prije kraja i odbačen. Datoteke nema.',
    unchecked: 'Ne može se provjeriti je li datoteka potpuna, pa je odbačena.',
    unwritable: 'Datoteka se ne može zapisati.',
    cancelled: 'Izvoz je zaustavljen. Datoteke nema.',
  },
}
