/** German texts of the selection of records in a list. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  totals: 'Summen',
  export: 'Exportieren: ausgewählte Datensätze',
  label: 'Auswahl',
  hint: 'Wählen Sie Datensätze aus, um sie zusammen zu ändern oder zu exportieren: mit x, mit Umschalt und Klick oder alle auf einmal.',
  select: (name) => `${name} auswählen`,
  selectAll: 'Alle passenden auswählen',
  everything: 'Alle',
  clear: 'Auswahl aufheben',
  selected: (count) => plural(count, { one: '# ausgewählt', other: '# ausgewählt' }),
  allSelected: (count) => plural(count, { one: 'Alle # ausgewählt', other: 'Alle # ausgewählt' }),
  all: (count) => plural(count, { one: 'Alle # auswählen', other: 'Alle # auswählen' }),
  allShort: (count) => plural(count, { one: 'Alle #', other: 'Alle #' }),
  tooMany: (limit) =>
    plural(limit, {
      one: 'Einzeln lässt sich höchstens # Datensatz auswählen. Wählen Sie stattdessen alle passenden aus.',
      other:
        'Einzeln lassen sich höchstens # Datensätze auswählen. Wählen Sie stattdessen alle passenden aus.',
    }),
}
