/** The texts of the console by language; English is the model that the others must have every text of. */
import { createContext, use } from 'react'
import { en } from './en.ts'

export type Texts = typeof en

/** Languages in their own names; each but English is a file of its own, loaded when chosen. */
export const languages = {
  en: { name: 'English', load: async (): Promise<Texts> => en },
  de: { name: 'Deutsch', load: async (): Promise<Texts> => (await import('./de.ts')).de },
  hr: { name: 'Hrvatski', load: async (): Promise<Texts> => (await import('./hr.ts')).hr },
} as const

export type Language = keyof typeof languages

export const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)

/** The first language that the user prefers and the console has. */
export const preferredLanguage = (
  chosen: Language | undefined,
  preferred: readonly string[],
): Language =>
  [chosen ?? '', ...preferred.map((tag) => tag.split('-')[0] ?? '')].find(isLanguage) ?? 'en'

export const TextsContext = createContext<Texts>(en)

/** The texts in the language of the user. */
export const useTexts = (): Texts => use(TextsContext)
