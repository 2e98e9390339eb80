/** The texts of the form of a whole filter, loaded with it. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

export type FilterTexts = typeof en

export const useFilterTexts = lazyTexts<FilterTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
