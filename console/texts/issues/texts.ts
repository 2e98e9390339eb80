/** The texts of what is wrong with values, loaded when something is. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

type IssueTexts = typeof en

export const useIssueTexts = lazyTexts<IssueTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
