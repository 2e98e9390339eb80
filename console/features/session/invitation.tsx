/** An invitation: it greets the person it is for, who sets a password and is signed in. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useSyncExternalStore } from 'react'
import { statusOf } from '../../api/client.ts'
import { acceptInvitation, type InvitedPerson, invitationQuery } from '../../api/own/password.ts'
import type { ServiceConfig } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { PasswordInput, usePasswordFault } from './password-input.tsx'
import './sign-in.css'

/** A code in the fragment of the address: it is never sent with the address, so that no log has it. */
export const codeOfAddress = (name: 'code' | 'invitation'): string | undefined =>
  new URLSearchParams(window.location.hash.slice(1)).get(name) ?? undefined

const onFragment = (listener: () => void) => {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

/** The code of the invitation whose link is open, where people have passwords. */
export const useInvitationCode = ({ ways }: ServiceConfig): string | undefined =>
  useSyncExternalStore(onFragment, () =>
    ways.includes('password') ? codeOfAddress('invitation') : undefined,
  )

type InvitationProps = {
  readonly code: string
  /** Who is signed in now, if that is somebody. */
  readonly user?: { readonly full_name?: string; readonly email?: string }
  readonly onSignedIn: () => void
  /** Shown instead, if the invitation cannot be used. */
  readonly refusal: ReactNode
}

export const Invitation = ({ code, user, onSignedIn, refusal }: InvitationProps): ReactNode => {
  const texts = useWorkTexts().passwords
  const invitation = useQuery(invitationQuery(code))
  const person = invitation.data
  if (statusOf(invitation.error) === 401) return refusal
  if (invitation.error)
    return <ProblemNote error={invitation.error} onRetry={() => void invitation.refetch()} isPage />
  if (!person) return <Waiting />
  return (
    <>
      <h1 dir="auto">{texts.greeting(person.full_name)}</h1>
      <p>{texts.intro}</p>
      {user && user.email !== person.email && (
        <p role="note">{texts.signedInAs(user.full_name ?? user.email ?? '')}</p>
      )}
      <SetPassword code={code} person={person} onSignedIn={onSignedIn} />
    </>
  )
}

type FormProps = Pick<InvitationProps, 'code' | 'onSignedIn'> & { readonly person: InvitedPerson }

const SetPassword = ({ code, person, onSignedIn }: FormProps): ReactNode => {
  const texts = useWorkTexts().passwords
  const faultOf = usePasswordFault()
  const acceptance = useMutation({ mutationFn: acceptInvitation, onSuccess: onSignedIn })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    acceptance.mutate({ code, password: String(new FormData(event.currentTarget).get('password')) })
  }
  return (
    <form onSubmit={submit}>
      <label>
        {texts.email}
        {/* Password managers store the password with it. */}
        <input
          className="field-input"
          name="username"
          type="email"
          autoComplete="username"
          value={person.email}
          readOnly
        />
      </label>
      <PasswordInput label={texts.newPassword} name="password" autoComplete="new-password" />
      {acceptance.error && (
        <p role="alert">
          {faultOf(acceptance.error, {
            400: texts.weak,
            401: `${texts.unusable} ${texts.unusableHint}`,
          })}
        </p>
      )}
      <Button type="submit" look="primary" disabled={acceptance.isPending}>
        {texts.set}
      </Button>
    </form>
  )
}
