/** The texts of importing, a file of each language: few users need them. */
import { use } from 'react'
import type { importing } from '../../texts/en/import.ts'
import { useTexts } from '../../texts/texts.ts'

export type ImportTexts = typeof importing

const files: Readonly<Record<string, () => Promise<{ readonly importing: ImportTexts }>>> = {
  en: () => import('../../texts/en/import.ts'),
  de: () => import('../../texts/de/import.ts'),
  fr: () => import('../../texts/fr/import.ts'),
  hr: () => import('../../texts/hr/import.ts'),
}

const loaded = new Map<string, Promise<ImportTexts>>()

/** Those of the language of the page. */
export const loadImportTexts = (): Promise<ImportTexts> => {
  const { lang } = document.documentElement
  const load = files[lang] ?? files.en
  const texts = loaded.get(lang) ?? load?.().then(({ importing }) => importing)
  if (!texts) throw new Error('There are no English texts.')
  loaded.set(lang, texts)
  return texts
}

/** It suspends until they are loaded. */
export const useImportTexts = (): ImportTexts => {
  // Another language renders the part again.
  useTexts()
  return use(loadImportTexts())
}
