/** The texts of approvals, loaded with their page. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

type ApprovalTexts = typeof en

export const useApprovalTexts = lazyTexts<ApprovalTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
