/**
 * The address of a sign-in for a user who is signed in: a link signs in its user, that of an invitation lets them set a
 * password; without one the console opens.
 */
import { Link, Navigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { request } from '../api/client.ts'
import {
  codeOfAddress,
  Invitation,
  openConsole,
  useInvitationCode,
} from '../features/session/invitation.tsx'
import { PageTitle } from '../features/session/page-title.tsx'
import { useSession } from '../features/session/session.ts'
import { EmptyNote, Waiting } from '../parts/notes.tsx'
import { useWorkTexts } from '../texts/texts.ts'

/** With an expired link the user stays signed in. */
const signInBy = async (code: string): Promise<void> => {
  const body = { code }
  await request('/console/-/session', { method: 'POST', body, isSignIn: true }).catch(
    () => undefined,
  )
  openConsole()
}

const OpenedInvitation = ({ code }: { readonly code: string }): ReactNode => {
  const texts = useWorkTexts().passwords
  const { me, config } = useSession()
  const refusal = (
    <EmptyNote title={texts.unusable} isPage>
      <p>{texts.unusableHint}</p>
      <Link to="/">{texts.open}</Link>
    </EmptyNote>
  )
  return (
    <div className="sign-in">
      <PageTitle of={[texts.set]} />
      <div className="sign-in-card">
        <Invitation
          code={code}
          config={config}
          user={me}
          onSignedIn={openConsole}
          refusal={refusal}
        />
      </div>
    </div>
  )
}

export const OpenedLink = (): ReactNode => {
  const invitation = useInvitationCode(useSession().config)
  const [code] = useState(() => codeOfAddress('code'))
  useEffect(() => {
    if (code !== undefined) void signInBy(code)
  }, [code])
  if (invitation !== undefined) return <OpenedInvitation key={invitation} code={invitation} />
  return code === undefined ? <Navigate to="/" replace /> : <Waiting />
}
