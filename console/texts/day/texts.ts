/** The texts of "My day", loaded with it. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

type DayTexts = typeof en

export const useDayTexts = lazyTexts<DayTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
