/** German texts of the export of a list. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  title: (entity: string) => `Export: ${entity}`,
  search: (words: string) => `Suche: ${words}`,
  filter: (words: string) => `Filter: ${words}`,
  noFilter: 'Ohne Filter: alle Datensätze.',
  ownOnly: 'Ihre Rolle exportiert nur Ihre eigenen Datensätze.',
  rows: 'Datensätze',
  rowsSelected: (count: number) =>
    plural(count, { one: 'Ausgewählte (#)', other: 'Ausgewählte (#)' }),
  rowsAll: (count: number) =>
    plural(count, { one: 'Alle passenden (#)', other: 'Alle passenden (#)' }),
  format: 'Format',
  formats: {
    csv: 'CSV',
    xlsx: 'Excel (xlsx)',
    ndjson: 'NDJSON',
    json: 'JSON',
    parquet: 'Parquet',
  },
  forExcel: 'Für Excel (öffnet mit einem Doppelklick)',
  names: 'Namen statt Schlüsseln: Auswahlwerte, Schritte, Spaltenköpfe',
  columnsChosen: (count: number) => `Spalten (${count})`,
  columnsOfList: (count: number) => `Wie in der Liste (${count})`,
  columnsOfDefinition: (count: number) => `Wie für Exporte festgelegt (${count})`,
  order: 'Spalten in ihrer Reihenfolge',
  orderHint: 'Ziehen oder Alt mit einer Pfeiltaste verschiebt eine Spalte, Entf entfernt sie.',
  up: 'Nach oben',
  down: 'Nach unten',
  remove: 'Entfernen',
  addColumn: 'Spalte hinzufügen',
  moved: (column: string, place: number, count: number) =>
    `${column} ist Spalte ${place} von ${count}.`,
  removed: (column: string) => `Spalte ${column} wurde entfernt.`,
  omitted: (count: number) =>
    plural(count, {
      one: '# Spalte fehlt, weil Ihre Rolle sie nicht lesen darf.',
      other: '# Spalten fehlen, weil Ihre Rolle sie nicht lesen darf.',
    }),
  preview: 'Die ersten Zeilen, wie in der Datei',
  tooLong: 'Die Zeilen sind zu lang, um hier angezeigt zu werden.',
  parquet: 'Parquet hat typisierte Spalten mit diesen Werten, die hier als JSON stehen.',
  commands: 'Auf der Kommandozeile',
  token: 'Beide Befehle brauchen einen API-Schlüssel oder ein Token in der Variable TOKEN.',
  copy: (name: string) => `Befehl für ${name} kopieren`,
  copyShort: 'Kopieren',
  copied: 'Kopiert',
  start: 'Export starten',
  stop: 'Export abbrechen',
  progress: 'Fortschritt des Exports',
  rowsPerSecond: (rows: number) => plural(rows, { one: '# Zeile/s', other: '# Zeilen/s' }),
  tooLarge: (limit: string) =>
    `Die Datei ist größer als ${limit}; so viel kann dieser Browser nicht speichern. Verwenden Sie einen der Befehle unten.`,
  whole: (records: string, size: string) => `Vollständig und geprüft: ${records}, ${size}.`,
  stored: 'Die Datei ist gespeichert.',
  save: (name: string) => `${name} noch einmal speichern`,
  failures: {
    refused: 'Der Export hat nicht begonnen.',
    cut: 'Der Export ist vorzeitig abgebrochen und wurde verworfen. Es gibt keine Datei.',
    unchecked:
      'Es lässt sich nicht prüfen, ob die Datei vollständig ist; deshalb wurde sie verworfen.',
    unwritable: 'Die Datei lässt sich nicht schreiben.',
    cancelled: 'Der Export wurde abgebrochen. Es gibt keine Datei.',
  },
}
