/** The texts of writing many records at once, loaded when the first is selected. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

export type BulkTexts = typeof en

export const useBulkTexts = lazyTexts<BulkTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
