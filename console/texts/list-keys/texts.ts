/** What keys do in a list, loaded with the list of shortcuts. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

export const useListKeyTexts = lazyTexts<typeof en>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
