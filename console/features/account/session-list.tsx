/** The browsers that are signed in as the user; each can be signed out. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type BrowserSession, endSession, sessionsQuery } from '../../api/own/account.ts'
import { Button } from '../../parts/button.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useBrowserName } from '../session/browser-name.ts'
import { useReading } from '../session/session.ts'
import './session-list.css'

export const SessionList = (): ReactNode => {
  const client = useQueryClient()
  const sessions = useQuery(sessionsQuery)
  const end = useMutation({
    mutationFn: endSession,
    // A session that ended meanwhile leaves the list too.
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  if (!sessions.data) return sessions.error ? <ProblemNote error={sessions.error} /> : <Waiting />
  return <Sessions sessions={sessions.data} error={end.error} onEnd={end.mutate} />
}

type SessionsProps = {
  readonly sessions: readonly BrowserSession[]
  /** Why one could not be ended. */
  readonly error: Error | null
  readonly onEnd: (id: number) => void
}

/** Sessions of one user, of whom the page may be one. */
export const Sessions = ({ sessions, error, onEnd }: SessionsProps): ReactNode => (
  <>
    {error && <p role="alert">{error.message}</p>}
    <ul className="setting-list">
      {sessions.map((session) => (
        <li key={session.id}>
          <Session session={session} onEnd={() => onEnd(session.id)} />
        </li>
      ))}
    </ul>
  </>
)

type SessionProps = { readonly session: BrowserSession; readonly onEnd: () => void }

const Session = ({ session, onEnd }: SessionProps): ReactNode => {
  const texts = useWorkTexts().settings
  const reading = useReading()
  const { user_agent: agent, created_at: begun, last_used_at: used } = session
  const name = useBrowserName(agent)
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
