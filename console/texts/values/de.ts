/** German texts of values that cannot be read. */
import type { en } from './en.ts'

export const de: typeof en = {
  number: (example) => `Geben Sie eine Zahl ein, zum Beispiel ${example}.`,
  whole: (example) => `Geben Sie eine ganze Zahl ein, zum Beispiel ${example}.`,
}
