/** The texts of the export of a list, loaded with its dialog. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

type ExportTexts = typeof en

export const useExportTexts = lazyTexts<ExportTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
