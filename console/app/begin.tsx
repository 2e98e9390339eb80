/** What all pages share, and what is read before the first of them is rendered. */
import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { askIn, basePath, setUnreachableText } from '../api/client.ts'
import {
  configQuery,
  createQueryClient,
  entitiesQuery,
  hasSession,
  meQuery,
} from '../api/queries.ts'
import { type Settings, settingsQuery } from '../api/settings.ts'
import {
  copiedPreferences,
  type Preferences,
  readPreferences,
} from '../features/session/preferences.ts'
import { loadAhead, whenIdle } from '../parts/later.tsx'
import { Waiting } from '../parts/notes.tsx'
import { first as english } from '../texts/en/first.ts'
import { type Language, languages, preferredLanguage, type Texts } from '../texts/texts.ts'
import { PageProblem } from './page-problem.tsx'
import { routeTree } from './routes.tsx'

/** The router of the console: it preloads what is pointed at, and loads the other pages when the first one is shown. */
export const createConsoleRouter = (client: QueryClient) => {
  const router = createRouter({
    routeTree,
    basepath: `${basePath}/console`,
    context: { client },
    defaultPreload: 'intent',
    defaultPendingComponent: Waiting,
    defaultErrorComponent: PageProblem,
  })
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    // A page that was just loaded has no focus that could be lost.
    if (pathChanged && (fromLocation || document.activeElement !== document.body)) focusPage()
  })
  const stopWaiting = router.subscribe('onRendered', () => {
    stopWaiting()
    // What cannot be loaded now is loaded, or explained, when it is needed.
    whenIdle(() => void loadAhead().catch(() => undefined))
  })
  return router
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}

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

// The focus of those who come to another page.

/** The part of the page that changes with its address. */
export const mainPart = (): HTMLElement | null => document.querySelector('main')

/** Moves the focus to a page that was opened, unless it has taken it itself. */
const focusPage = (): void => {
  const main = mainPart()
  if (main?.contains(document.activeElement) || document.querySelector('dialog:modal')) return
  main?.focus({ preventScroll: true })
}
