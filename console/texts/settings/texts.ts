/** The texts of the settings, which users open seldom. */
import { lazyTexts } from '../lazy-texts.ts'
import type { en } from './en.ts'

type SettingsTexts = typeof en

export const useSettingsTexts = lazyTexts<SettingsTexts>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
})
