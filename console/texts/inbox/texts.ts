/** The texts of the inbox, loaded with its page. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

type InboxTexts = typeof en

export const useInboxTexts = lazyTexts<InboxTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
