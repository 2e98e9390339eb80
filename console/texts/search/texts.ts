/** The texts of the search in all records, loaded with it. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

export const useSearchTexts = lazyTexts<typeof en>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
