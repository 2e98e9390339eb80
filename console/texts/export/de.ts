/** German texts of the export of a list. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  title: (entity: string) => `Exportieren: ${entity}`,
  search: (words: string) => `Suche: ${words}`,
  filter: (words: string) => `Filter: ${words}`,
  noFilter: 'Ohne Filter: alle Datensätze.',
  ownOnly: 'Ihre Rolle exportiert davon nur Ihre eigenen.',
  rows: 'Datensätze',
  rowsSelected: (count: number) =>
    plural(count, { one: 'Den ausgewählten #', other: 'Die ausgewählten #' }),
  rowsAll: (count: number) => plural(count, { one: 'Alle # passenden', other: 'Alle # passenden' }),
  format: 'Format',
  formats: {
    csv: 'CSV',
    xlsx: 'Excel (xlsx)',
    ndjson: 'NDJSON',
    json: 'JSON',
    parquet: 'Parquet',
  },
  bom: 'mit Byte Order Mark, für Excel',
  columns: 'Spalten',
  columnsOfList: (count: number) => `die der Liste (${count})`,
  columnsOfDefinition: (count: number) => `die der Exporteinstellungen (${count})`,
  omitted: (count: number) =>
    plural(count, {
      one: '# Spalte fehlt, weil Ihre Rolle sie nicht lesen darf.',
      other: '# Spalten fehlen, weil Ihre Rolle sie nicht lesen darf.',
    }),
  preview: (rows: number) => `Die ersten ${rows} Zeilen als CSV`,
  commands: 'Auf der Befehlszeile',
  token: 'Beide brauchen einen API-Schlüssel oder ein Token in der Variable TOKEN.',
  copy: (name: string) => `Zeile für ${name} kopieren`,
  copyShort: 'Kopieren',
  copied: 'Kopiert',
  start: 'Export starten',
  stop: 'Export abbrechen',
  progress: 'Fortschritt des Exports',
  rowsPerSecond: (rows: number) => plural(rows, { one: '# Zeile/s', other: '# Zeilen/s' }),
  tooLarge: (limit: string) =>
    `Die Datei ist größer als ${limit}, was dieser Browser nicht speichern kann. Nehmen Sie eine Zeile der Befehlszeile.`,
  whole: (records: string, size: string) => `Vollständig und geprüft: ${records}, ${size}.`,
  stored: 'Die Datei ist gespeichert.',
  save: (name: string) => `${name} speichern`,
  failures: {
    refused: 'Der Export hat nicht begonnen.',
    cut: 'Der Export ist vorzeitig abgebrochen und wurde verworfen. Es gibt keine Datei.',
    unchecked:
      'Es lässt sich nicht prüfen, ob die Datei vollständig ist; deshalb wurde sie verworfen.',
    unwritable: 'Die Datei lässt sich nicht schreiben.',
    cancelled: 'Der Export wurde abgebrochen. Es gibt keine Datei.',
  },
}
