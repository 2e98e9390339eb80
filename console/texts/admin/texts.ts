/** The texts of the administration: few users ever open these pages. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

export type AdminTexts = typeof en

export const useAdminTexts = lazyTexts<AdminTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
