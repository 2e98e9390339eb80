/** German texts of the filter of a history. */
import type { en } from './en.ts'

export const de: typeof en = {
  field: 'Änderungen anzeigen an',
  person: 'Änderungen anzeigen von',
  allFields: 'Alle Felder',
  everybody: 'Alle Personen',
  steps: 'Schritte',
}
