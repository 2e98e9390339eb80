/** German texts of what others change while a page is open. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  newRecords: (count: number) =>
    plural(count, { one: '# neuer Datensatz', other: '# neue Datensätze' }),
  load: 'Anzeigen',
  somebody: 'Jemand',
  changedBy: (name: string) => `${name} hat diesen Datensatz gerade geändert.`,
  kept: 'Ihre Änderungen bleiben erhalten und werden beim Speichern mit diesen zusammengeführt.',
  gone: 'Dieser Datensatz wurde gerade entfernt oder ist für Sie nicht mehr sichtbar.',
}
