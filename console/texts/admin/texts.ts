/** The texts of the administration, in a file of their own for each language: few users ever open these pages. */
import { use } from 'react'
import { type Language, languages } from '../texts.ts'
import type { en } from './en.ts'

export type AdminTexts = typeof en

const loaders: Readonly<Record<Language, () => Promise<AdminTexts>>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  hr: async () => (await import('./hr.ts')).hr,
}

const loaded = new Map<Language, Promise<AdminTexts>>()

const load = (language: Language): Promise<AdminTexts> => {
  const texts = loaded.get(language) ?? loaders[language]()
  loaded.set(language, texts)
  return texts
}

/** Suspends until the texts of the language of the page are there. */
export const useAdminTexts = (): AdminTexts => {
  const { lang } = document.documentElement
  return use(load(Object.keys(languages).find((one): one is Language => one === lang) ?? 'en'))
}
