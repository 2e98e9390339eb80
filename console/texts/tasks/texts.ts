/** The texts of tasks, loaded with what shows them. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

type TaskTexts = typeof en

export const useTaskTexts = lazyTexts<TaskTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
