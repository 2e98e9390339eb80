/** Croatian texts of the filter of a history. */
import type { en } from './en.ts'

export const hr: typeof en = {
  field: 'Prikaži promjene polja',
  person: 'Prikaži promjene osobe',
  allFields: 'Sva polja',
  everybody: 'Sve osobe',
  steps: 'Koraci',
}
