/** The whole console: who is signed in, in which language, and the page of the address. */
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { ApiProblem, askIn, setOnUnauthenticated } from '../api/client.ts'
import { settingsQuery } from '../api/own/session.ts'
import { configQuery, entitiesQuery, meQuery, readInLanguage } from '../api/queries.ts'
import { OneUser } from '../features/session/one-user.tsx'
import { applyPreferences } from '../features/session/preferences.ts'
import { SessionContext } from '../features/session/session.ts'
import { laterPart } from '../parts/later.tsx'
import { ProblemNote, Waiting } from '../parts/notes.tsx'
import { languages, type Texts, TextsContext } from '../texts/texts.ts'
import { client, languageOf, nameLanguage, preferencesOf, router } from './begin.ts'

const SignInPage = laterPart(
  async () => (await import('../features/session/sign-in.tsx')).SignInPage,
)
const SignInDialog = laterPart(
  async () => (await import('../features/session/sign-in.tsx')).SignInDialog,
)

type AppProps = {
  /** Those that the page begins with. */
  readonly texts: Texts
}

export const App = ({ texts }: AppProps): ReactNode => (
  <QueryClientProvider client={client}>
    <Localised first={texts}>
      <Signed />
    </Localised>
  </QueryClientProvider>
)

type LocalisedProps = { readonly first: Texts; readonly children: ReactNode }

/** Loads the texts of the user's language whenever it becomes another one. */
const Localised = ({ first, children }: LocalisedProps): ReactNode => {
  const [texts, setTexts] = useState(first)
  const settings = useQuery({ ...settingsQuery, enabled: false }).data
  const preferences = useMemo(() => preferencesOf(settings), [settings])
  useEffect(() => applyPreferences(preferences), [preferences])
  const language = languageOf(preferences)
  useEffect(() => {
    if (askIn(language)) void readInLanguage(client)
    let isWanted = true
    const show = (loaded: Texts) => {
      if (!isWanted) return
      nameLanguage(language, loaded)
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

/** The pages of a signed-in user, or the sign-in. */
const Signed = (): ReactNode => {
  const config = useQuery(configQuery)
  const me = useQuery(meQuery)
  const entities = useQuery({ ...entitiesQuery, enabled: me.data !== undefined })
  const settings = useQuery({ ...settingsQuery, enabled: me.data !== undefined })
  const preferences = useMemo(() => preferencesOf(settings.data), [settings.data])
  useEffect(() => setOnUnauthenticated(() => void client.invalidateQueries(meQuery)), [])
  const isOut = isSignedOut(me.error)
  if (config.data && isOut && !me.data) return <SignInPage config={config.data} />
  const error =
    config.error ?? (me.data ? null : me.error) ?? (entities.data ? null : entities.error)
  if (error)
    return (
      <main>
        <ProblemNote error={error} onRetry={() => location.reload()} isPage />
      </main>
    )
  if (!config.data || !me.data || !entities.data || !settings.isFetched) return <Waiting />
  const session = { config: config.data, me: me.data, entities: entities.data, preferences }
  return (
    <SessionContext value={session}>
      <OneUser me={me.data}>
        <RouterProvider router={router} />
      </OneUser>
      {isOut && <SignInDialog config={config.data} before={me.data} />}
    </SessionContext>
  )
}
