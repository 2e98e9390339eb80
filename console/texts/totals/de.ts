/** German texts of sums and groups of a list. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  title: 'Summen',
  column: 'Spalte',
  of: 'Umfang',
  names: { sum: 'Summe', avg: 'Durchschnitt', min: 'Kleinster Wert', max: 'Größter Wert' },
  count: 'Datensätze',
  all: 'Alle passenden',
  selected: 'Ausgewählte',
  groupTitle: (column) => `Gruppiert nach ${column}`,
  group: 'Wert',
  sumOf: (column) => `Summe: ${column}`,
  countOnly: 'Nur die Anzahl der Datensätze',
  exportGroup: (value: string) => `Exportieren: ${value}`,
  filterBy: (value) => `Nur anzeigen: ${value}`,
  empty: 'leer',
  incomplete: (count) =>
    plural(count, {
      one: 'Nur die erste Gruppe wird angezeigt. Filtern Sie die Liste, um die anderen zu sehen.',
      other:
        'Nur die ersten # Gruppen werden angezeigt. Filtern Sie die Liste, um die anderen zu sehen.',
    }),
  unitsIncomplete: (count) =>
    plural(count, {
      one: 'Nur die erste Einheit wird angezeigt. Filtern Sie die Liste, um die anderen zu sehen.',
      other:
        'Nur die ersten # Einheiten werden angezeigt. Filtern Sie die Liste, um die anderen zu sehen.',
    }),
  sumsIncomplete:
    'Nicht alle Summen werden angezeigt: Es sind zu viele Einheiten. Filtern Sie die Liste, um die anderen zu sehen.',
  moreUnits: (count) =>
    plural(count, { one: 'und # weitere Einheit', other: 'und # weitere Einheiten' }),
  mixedOrder: (column, units) =>
    `Die Spalte ${column} ist nur nach der Zahl sortiert, gleich in welcher Einheit: ${units}.`,
  orderFirst: (unit) => `Zuerst nach ${unit} sortieren`,
  none: 'Kein Datensatz passt.',
}
