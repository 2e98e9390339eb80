/** The texts of the columns of a list, loaded with their menus. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

type ColumnTexts = typeof en

export const useColumnTexts = lazyTexts<ColumnTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
