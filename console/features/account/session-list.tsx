/** The browsers that are signed in as the user; each can be signed out. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type BrowserSession, endSession, sessionsQuery } from '../../api/own/account.ts'
import { Button } from '../../parts/button.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'

export const SessionList = (): ReactNode => {
  const client = useQueryClient()
  const sessions = useQuery(sessionsQuery)
  const end = useMutation({
    mutationFn: endSession,
    // A session that ended meanwhile leaves the list too.
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  if (!sessions.data) return sessions.error ? <ProblemNote error={sessions.error} /> : <Waiting />
  return (
    <>
      {end.error && <p role="alert">{end.error.message}</p>}
      <ul className="setting-list">
        {sessions.data.map((session) => (
          <li key={session.id}>
            <Session session={session} onEnd={() => end.mutate(session.id)} />
          </li>
        ))}
      </ul>
    </>
  )
}

type SessionProps = { readonly session: BrowserSession; readonly onEnd: () => void }

const Session = ({ session, onEnd }: SessionProps): ReactNode => {
  const texts = useWorkTexts().settings
  const reading = useReading()
  const { user_agent: agent, created_at: begun, last_used_at: used } = session
  const { browser, system } = describeBrowser(agent ?? '')
  const described = browser && system ? texts.browserOn(browser, system) : (browser ?? system)
  const name = described ?? agent ?? texts.unknownBrowser
  return (
    <>
      <div title={agent ?? undefined}>
        <span dir="auto">{name}</span>
        {session.is_current && <strong> · {texts.thisBrowser}</strong>}
        <small className="setting-help">
          {texts.lastUsed(formatMoment(used, reading))} ·{' '}
          {texts.signedIn(formatMoment(begun, reading))}
        </small>
      </div>
      {!session.is_current && (
        <Button onClick={onEnd} aria-label={texts.endSessionOf(name)}>
          {texts.endSession}
        </Button>
      )}
    </>
  )
}

// The first match counts: browsers also name those that they are compatible with.
const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['CriOS', 'Chrome'],
  ['Safari', 'Safari'],
] as const

const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

type Names = { readonly browser: string | undefined; readonly system: string | undefined }

/** The browser and the system that a User-Agent names. */
const describeBrowser = (userAgent: string): Names => ({
  browser: browsers.find(([mark]) => userAgent.includes(mark))?.[1],
  system: systems.find(([mark]) => userAgent.includes(mark))?.[1],
})
