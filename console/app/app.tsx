/** The whole console: who is signed in, in which language, and the page of the address. */
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { ApiProblem, askIn, setOnUnauthenticated, setUnreachableText } from '../api/client.ts'
import { configQuery, entitiesQuery, meQuery, readInLanguage } from '../api/queries.ts'
import { settingsQuery } from '../api/settings.ts'
import { OneUser } from '../features/session/one-user.tsx'
import { SessionContext } from '../features/session/session.ts'
import {
  applyPreferences,
  copiedPreferences,
  readPreferences,
} from '../features/settings/preferences.ts'
import { ProblemNote, Waiting } from '../parts/notes.tsx'
import { en } from '../texts/en.ts'
import { languages, preferredLanguage, type Texts, TextsContext } from '../texts/texts.ts'
import { client, router } from './begin.ts'

const loadSignIn = () => import('../features/session/sign-in.tsx')
const SignInPage = lazy(async () => ({ default: (await loadSignIn()).SignInPage }))
const SignInDialog = lazy(async () => ({ default: (await loadSignIn()).SignInDialog }))

export const App = (): ReactNode => (
  <QueryClientProvider client={client}>
    <Localised>
      <Signed />
    </Localised>
  </QueryClientProvider>
)

/** Loads the texts of the user's language; before the settings are there, that of the last time. */
const Localised = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const [texts, setTexts] = useState<Texts>(en)
  const settings = useQuery({ ...settingsQuery, enabled: false }).data
  const preferences = useMemo(
    () => (settings ? readPreferences(settings) : copiedPreferences()),
    [settings],
  )
  useEffect(() => applyPreferences(preferences), [preferences])
  const language = preferredLanguage(preferences.language, navigator.languages)
  useEffect(() => {
    if (askIn(language)) void readInLanguage(client)
    let isWanted = true
    const show = (loaded: Texts) => {
      if (!isWanted) return
      document.documentElement.lang = language
      setUnreachableText(loaded.problem.unreachable)
      setTexts(loaded)
    }
    void languages[language].load().then(show)
    return () => {
      isWanted = false
    }
  }, [language])
  return <TextsContext value={texts}>{children}</TextsContext>
}

const isSignedOut = (error: Error | null): boolean =>
  error instanceof ApiProblem && error.status === 401

/** The pages for whoever is signed in, the sign-in for everybody else. */
const Signed = (): ReactNode => {
  const config = useQuery(configQuery)
  const me = useQuery(meQuery)
  const entities = useQuery({ ...entitiesQuery, enabled: me.data !== undefined })
  const settings = useQuery({ ...settingsQuery, enabled: me.data !== undefined })
  const preferences = useMemo(() => readPreferences(settings.data ?? {}), [settings.data])
  useEffect(() => setOnUnauthenticated(() => void client.invalidateQueries(meQuery)), [])
  const isOut = isSignedOut(me.error)
  if (config.data && isOut && !me.data)
    return (
      <Suspense>
        <SignInPage config={config.data} />
      </Suspense>
    )
  const error =
    config.error ?? (me.data ? null : me.error) ?? (entities.data ? null : entities.error)
  if (error) return <ProblemNote error={error} onRetry={() => location.reload()} />
  if (!config.data || !me.data || !entities.data || settings.isPending) return <Waiting />
  const session = { config: config.data, me: me.data, entities: entities.data, preferences }
  return (
    <SessionContext value={session}>
      <OneUser me={me.data}>
        <RouterProvider router={router} />
      </OneUser>
      <Suspense>{isOut && <SignInDialog config={config.data} before={me.data} />}</Suspense>
    </SessionContext>
  )
}
