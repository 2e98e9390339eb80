/** German texts of calculated values. */
import type { en } from './en.ts'

export const de: typeof en = { whenSaved: 'Wird beim Speichern berechnet' }
