/** The texts of documents, loaded with it. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

type DocumentTexts = typeof en

export const useDocumentTexts = lazyTexts<DocumentTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
