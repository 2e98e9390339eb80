/** German texts of what others change while a page is open. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  newRecords: (count: number) =>
    plural(count, { one: '# neuer Datensatz', other: '# neue Datensätze' }),
  load: 'Anzeigen',
}
