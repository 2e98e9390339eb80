/** The texts of the console by language; the English ones are the model that the others must have every text of. */
import { createContext, use } from 'react'
import type { administration } from './en/administration.ts'
import { first } from './en/first.ts'
import type { work } from './en/work.ts'

export type Texts = typeof first
export type WorkTexts = typeof work
export type AdminTexts = typeof administration

type LaterTexts = { readonly work: WorkTexts; readonly administration: AdminTexts }
type LaterFiles = readonly [Pick<LaterTexts, 'work'>, Pick<LaterTexts, 'administration'>]

type LanguageRow = {
  /** In the language itself. */
  readonly name: string
  /** What the first list needs; English has it at once. */
  readonly load: () => Promise<Texts>
  /** All others: one file of the build. */
  readonly loadLater: () => Promise<LaterFiles>
}

export const languages = {
  en: {
    name: 'English',
    load: async () => first,
    loadLater: () => Promise.all([import('./en/work.ts'), import('./en/administration.ts')]),
  },
  de: {
    name: 'Deutsch',
    load: async () => (await import('./de/first.ts')).first,
    loadLater: () => Promise.all([import('./de/work.ts'), import('./de/administration.ts')]),
  },
  fr: {
    name: 'Français',
    load: async () => (await import('./fr/first.ts')).first,
    loadLater: () => Promise.all([import('./fr/work.ts'), import('./fr/administration.ts')]),
  },
  hr: {
    name: 'Hrvatski',
    load: async () => (await import('./hr/first.ts')).first,
    loadLater: () => Promise.all([import('./hr/work.ts'), import('./hr/administration.ts')]),
  },
} as const satisfies Readonly<Record<string, LanguageRow>>

export type Language = keyof typeof languages

export const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)

/** The first language that the user prefers and the console has. */
export const preferredLanguage = (
  chosen: Language | undefined,
  preferred: readonly string[],
): Language =>
  [chosen ?? '', ...preferred.map((tag) => tag.split('-')[0] ?? '')].find(isLanguage) ?? 'en'

export const TextsContext = createContext<Texts>(first)

/** The texts of the first list in the language of the user. */
export const useTexts = (): Texts => use(TextsContext)

const laterTexts = new Map<Language, Promise<LaterTexts>>()

/** Loads all other texts of the language of the page. Loaded parts wait for nothing: React shows a placeholder for 300 ms. */
export const loadLaterTexts = (): Promise<LaterTexts> => {
  const { lang } = document.documentElement
  const language = isLanguage(lang) ? lang : 'en'
  const texts = laterTexts.get(language) ?? markFulfilled(readLater(language))
  laterTexts.set(language, texts)
  return texts
}

const readLater = async (language: Language): Promise<LaterTexts> => {
  const [{ work }, { administration }] = await languages[language].loadLater()
  return { work, administration }
}

/** Marks a promise, as React does, when its value is there: `use` then returns the value at once and does not suspend. */
const markFulfilled = <T>(promise: Promise<T>): Promise<T> => {
  const mark = (value: T) => Object.assign(promise, { status: 'fulfilled', value })
  // What uses the texts shows why they could not be loaded.
  promise.then(mark, () => undefined)
  return promise
}

const useLaterTexts = (): LaterTexts => {
  // Another language renders the part again.
  useTexts()
  return use(loadLaterTexts())
}

/** The texts of what is opened from the first list; it suspends until they are loaded. */
export const useWorkTexts = (): WorkTexts => useLaterTexts().work

/** The texts of the administration; it suspends until they are loaded. */
export const useAdminTexts = (): AdminTexts => useLaterTexts().administration
