/** The texts of a console that is seen as another user, loaded when it is. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

export const useSeenAsTexts = lazyTexts<typeof en>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
