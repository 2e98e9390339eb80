/** The texts of the page of a record, loaded with it. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

export const useRecordPageTexts = lazyTexts<typeof en>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
