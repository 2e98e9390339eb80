/** What all pages share, and what is read before the first of them is rendered. */
import { askIn, setUnreachableText } from '../api/client.ts'
import { type Settings, settingsQuery } from '../api/own/session.ts'
import {
  configQuery,
  createQueryClient,
  entitiesQuery,
  hasSession,
  meQuery,
} from '../api/queries.ts'
import {
  copiedPreferences,
  type Preferences,
  readPreferences,
} from '../features/session/preferences.ts'
import { first as english } from '../texts/en/first.ts'
import { type Language, languages, preferredLanguage, type Texts } from '../texts/texts.ts'
import { createConsoleRouter } from './router.tsx'

export const client = createQueryClient()
export const router = createConsoleRouter(client)

/** What the user prefers; before the settings are there, and when they are refused, as of the last time. */
export const preferencesOf = (settings: Settings | undefined): Preferences =>
  settings ? readPreferences(settings) : copiedPreferences()

export const languageOf = ({ language }: Preferences): Language =>
  preferredLanguage(language, navigator.languages)

askIn(languageOf(preferencesOf(undefined)))

/** Names the language of the texts wherever it is read outside of what is rendered. */
export const nameLanguage = (language: Language, texts: Texts): void => {
  document.documentElement.lang = language
  setUnreachableText(texts.problem.unreachable)
}

/** The texts of the language of the user, as far as it is known; English, where they cannot be loaded. */
export const loadTexts = async (): Promise<Texts> => {
  const settings = client.getQueryData(settingsQuery.queryKey)
  const language = languageOf(preferencesOf(settings))
  const texts = await languages[language].load().catch(() => english)
  nameLanguage(texts === english ? 'en' : language, texts)
  return texts
}

/**
 * Reads together what every page needs, and then what the page of the address needs. The page itself shows what
 * cannot be read.
 */
export const readAhead = async (): Promise<void> => {
  if (!hasSession) return
  await Promise.all([
    client.prefetchQuery(configQuery),
    client.prefetchQuery(meQuery),
    client.prefetchQuery(entitiesQuery),
    client.prefetchQuery(settingsQuery),
  ])
  const isReadable = client.getQueryData(entitiesQuery.queryKey) !== undefined
  await Promise.all([loadTexts(), isReadable && router.load()])
}
