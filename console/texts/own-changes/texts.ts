/** The texts of the page of own changes, loaded with it. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

export const useOwnChangesTexts = lazyTexts<typeof en>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
