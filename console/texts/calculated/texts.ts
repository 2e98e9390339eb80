/** The texts of calculated values, loaded when the first one is out of date. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

export const useCalculatedTexts = lazyTexts<typeof en>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
