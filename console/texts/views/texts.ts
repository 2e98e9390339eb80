/** The texts of the dialogs of views, loaded with them. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

export const useViewTexts = lazyTexts<typeof en>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
