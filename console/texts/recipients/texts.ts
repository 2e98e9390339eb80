/** The texts of whom something would notify, loaded with what shows them. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

export type RecipientTexts = typeof en

export const useRecipientTexts = lazyTexts<RecipientTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
