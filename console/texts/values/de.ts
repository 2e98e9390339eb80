/** German texts of values that cannot be read. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  number: (example) => `Geben Sie eine Zahl ein, zum Beispiel ${example}.`,
  whole: (example) => `Geben Sie eine ganze Zahl ein, zum Beispiel ${example}.`,
  day: (example) => `Geben Sie einen Tag ein, zum Beispiel ${example}.`,
  moment: (example) => `Geben Sie Tag und Uhrzeit ein, zum Beispiel ${example}.`,
  previousMonth: 'Voriger Monat',
  nextMonth: 'Nächster Monat',
  tooMany: (text, count, most, ways) =>
    `${text} hat ${plural(count, { one: '# Stelle', other: '# Stellen' })} nach dem Komma; erlaubt sind ${
      most === 0 ? 'ganze Zahlen' : `höchstens ${most}`
    }. Geben Sie ${ways.join(' oder ')} ein.`,
  json: 'Das ist kein gültiges JSON.',
  choose: 'Wählen Sie einen Eintrag aus der Liste.',
  noPerson: (words: string) => `Niemand heißt „${words}“. Wählen Sie aus der Liste.`,
  noRecord: (words: string) => `Kein Datensatz heißt „${words}“. Wählen Sie aus der Liste.`,
  noChoice: 'Ihre Rolle kann hier nichts auswählen.',
  meant: (text, meaning) => `${text} für ${meaning}`,
  fewer: 'weniger Stellen',
}
