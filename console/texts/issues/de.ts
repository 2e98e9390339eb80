/** German texts of what is wrong with a value of a field. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  noField: 'Es gibt kein Feld dieses Namens.',
  missing: 'Geben Sie einen Wert ein.',
  range: 'Die Zahl ist zu groß.',
  choice: 'Wählen Sie einen der Werte.',
  digits: (count) =>
    plural(count, {
      one: 'Geben Sie höchstens # Stelle vor dem Komma ein.',
      other: 'Geben Sie höchstens # Stellen vor dem Komma ein.',
    }),
  length: (count) =>
    plural(count, {
      one: 'Geben Sie höchstens # Zeichen ein.',
      other: 'Geben Sie höchstens # Zeichen ein.',
    }),
  used: (count, most) =>
    plural(most, { one: `${count} von # Zeichen`, other: `${count} von # Zeichen` }),
  least: (value) => `Geben Sie mindestens ${value} ein.`,
  most: (value) => `Geben Sie höchstens ${value} ein.`,
  earliest: (day) => `Geben Sie den ${day} oder einen späteren Tag ein.`,
  latest: (day) => `Geben Sie den ${day} oder einen früheren Tag ein.`,
  email: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel anna@example.com.',
  url: (example) => `Geben Sie eine vollständige Adresse ein, zum Beispiel ${example}.`,
  form: 'Das hat nicht die verlangte Form.',
  link: 'Wählen Sie einen anderen Datensatz: Dieser wurde entfernt oder ist für Sie nicht sichtbar.',
  taken: 'Ein anderer Datensatz hat diesen Wert schon. Geben Sie einen anderen ein.',
  takenTogether: (list) =>
    `Ein anderer Datensatz hat diese Kombination schon: ${list}. Ändern Sie einen der Werte.`,
}
