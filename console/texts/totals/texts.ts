/** The texts of sums and groups of a list, loaded with them. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

type TotalsTexts = typeof en

export const useTotalsTexts = lazyTexts<TotalsTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
