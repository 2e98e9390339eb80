/** Croatian texts of values that cannot be read. */
import type { en } from './en.ts'

export const hr: typeof en = {
  number: (example) => `Unesite broj, na primjer ${example}.`,
  whole: (example) => `Unesite cijeli broj, na primjer ${example}.`,
}
