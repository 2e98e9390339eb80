/** Croatian texts of calculated values. */
import type { en } from './en.ts'

export const hr: typeof en = { whenSaved: 'Izračunava se pri spremanju' }
