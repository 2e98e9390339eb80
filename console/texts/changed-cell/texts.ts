/** The texts of what became of changed cells, loaded when the first one is edited. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

export const useChangedCellTexts = lazyTexts<typeof en>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
