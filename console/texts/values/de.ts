/** German texts of values that cannot be read. */
import type { en } from './en.ts'

export const de: typeof en = {
  missing: 'Geben Sie einen Wert ein.',
  number: (example) => `Geben Sie eine Zahl ein, zum Beispiel ${example}.`,
  whole: (example) => `Geben Sie eine ganze Zahl ein, zum Beispiel ${example}.`,
  range: 'Die Zahl ist zu groß.',
  day: 'Geben Sie ein Datum ein.',
  choice: 'Wählen Sie einen der Werte.',
}
