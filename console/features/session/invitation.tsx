/** An invitation: it greets the person it is for, who makes a passkey, sets a password, or signs in otherwise. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState, useSyncExternalStore } from 'react'
import { statusOf, urlOf } from '../../api/client.ts'
import {
  type AfterSignIn,
  acceptByPasskey,
  acceptInvitation,
  beginAtIssuer,
  beginInvitedPasskey,
  goOn,
  type InvitedPerson,
  invitationQuery,
  type NextStep,
} from '../../api/own/credentials.ts'
import type { ServiceConfig } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useBrowserName } from './browser-name.ts'
import { SecondStep } from './later-second-step.tsx'
import { makePasskey, usePasskeyFault } from './passkey.tsx'
import { PasswordInput, usePasswordFault } from './password-input.tsx'
import { mayInvite } from './session.ts'
import './sign-in.css'

/** A code in the fragment of the address: it is never sent with the address, so that no log has it. */
export const codeOfAddress = (name: 'code' | 'invitation'): string | undefined =>
  new URLSearchParams(window.location.hash.slice(1)).get(name) ?? undefined

const onFragment = (listener: () => void) => {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

/** The code of the invitation whose link is open. */
export const useInvitationCode = (config: ServiceConfig): string | undefined =>
  useSyncExternalStore(onFragment, () =>
    mayInvite(config) ? codeOfAddress('invitation') : undefined,
  )

type InvitationProps = {
  readonly code: string
  readonly config: ServiceConfig
  /** Who is signed in now, if anyone is. */
  readonly user?: { readonly full_name?: string; readonly email?: string }
  readonly onSignedIn: () => void
  /** Shown instead, if the invitation cannot be used. */
  readonly refusal: ReactNode
}

export const Invitation = (props: InvitationProps): ReactNode => {
  const { code, config, user, onSignedIn, refusal } = props
  const { ways, signIn } = config
  const { passwords: texts, credentials, codes } = useWorkTexts()
  const [next, setNext] = useState<NextStep>()
  const hasPasswords = ways.includes('password')
  const hasPasskeys = ways.includes('passkey')
  const invitation = useQuery(invitationQuery(code))
  const person = invitation.data
  if (next)
    return (
      <SecondStep
        next={next}
        hasPasskeys={hasPasskeys}
        onSignedIn={onSignedIn}
        onBegin={openConsole}
      />
    )
  if (statusOf(invitation.error) === 401) return refusal
  if (invitation.error)
    return <ProblemNote error={invitation.error} onRetry={() => void invitation.refetch()} isPage />
  if (!person) return <Waiting />
  return (
    <>
      <h1 dir="auto">{texts.greeting(person.full_name)}</h1>
      <p>{hasPasskeys ? credentials.passkeyHelp : (hasPasswords ? texts : codes).intro}</p>
      {user && user.email !== person.email && (
        <p role="note">
          {(hasPasswords ? texts : codes).signedInAs(user.full_name ?? user.email ?? '')}
        </p>
      )}
      {hasPasskeys && <MakePasskey code={code} onSignedIn={onSignedIn} />}
      {hasPasskeys && hasPasswords && <p>{credentials.orPassword}</p>}
      {hasPasswords && (
        <SetPassword
          code={code}
          person={person}
          look={hasPasskeys ? 'plain' : 'primary'}
          onSignedIn={onSignedIn}
          onNext={setNext}
        />
      )}
      {!hasPasswords && ways.includes('code') && (
        <SignInInvited
          code={code}
          look={hasPasskeys ? 'plain' : 'primary'}
          onSignedIn={onSignedIn}
          onNext={setNext}
        />
      )}
      {hasPasswords && ways.includes('code') && !user && (
        <p>
          <a href={urlOf('/console/')}>{codes.orCode}</a>
        </p>
      )}
      {signIn === 'issuer' && <InvitedAtIssuer code={code} isFirst={ways.length === 0} />}
    </>
  )
}

/** Nothing that was read for another user stays, nor a code that is used up. */
export const openConsole = () => window.location.replace(urlOf('/console/'))

type PasskeyProps = Pick<InvitationProps, 'code' | 'onSignedIn'>

const MakePasskey = ({ code, onSignedIn }: PasskeyProps): ReactNode => {
  const texts = useWorkTexts().credentials
  const faultOf = usePasskeyFault()
  const name = useBrowserName(navigator.userAgent)
  const acceptance = useMutation({
    mutationFn: async () =>
      acceptByPasskey({ code, name, passkey: await makePasskey(await beginInvitedPasskey(code)) }),
    onSuccess: onSignedIn,
  })
  return (
    <>
      {acceptance.error && <p role="alert">{faultOf(acceptance.error)}</p>}
      <Button look="primary" disabled={acceptance.isPending} onClick={() => acceptance.mutate()}>
        {texts.create}
      </Button>
    </>
  )
}

type FormProps = AfterSignIn & {
  readonly code: string
  readonly person: InvitedPerson
  readonly look: 'plain' | 'primary'
}

const SetPassword = ({ code, person, look, ...after }: FormProps): ReactNode => {
  const texts = useWorkTexts().passwords
  const faultOf = usePasswordFault()
  const acceptance = useMutation({
    mutationFn: acceptInvitation,
    onSuccess: (answer) => goOn(answer, after),
  })
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
      <Button type="submit" look={look} disabled={acceptance.isPending}>
        {texts.set}
      </Button>
    </form>
  )
}

// How an invited person comes in without a password: at the identity provider, or by the link itself.

type CodeProps = { readonly code: string }

const useFault = (error: Error | null): string | undefined => {
  const { passwords: texts } = useWorkTexts()
  const faultOf = usePasswordFault()
  return error ? faultOf(error, { 401: `${texts.unusable} ${texts.unusableHint}` }) : undefined
}

/** Leads to the identity provider, and from there back. `isFirst`: there is no other way. */
const InvitedAtIssuer = ({
  code,
  isFirst,
}: CodeProps & { readonly isFirst: boolean }): ReactNode => {
  const { passwords: texts } = useWorkTexts()
  const { error, isPending, mutate } = useMutation({
    mutationFn: () => beginAtIssuer(code),
    onSuccess: ({ address }) => window.location.assign(address),
  })
  const fault = useFault(error)
  return (
    <>
      {fault !== undefined && <p role="alert">{fault}</p>}
      <Button look={isFirst ? 'primary' : 'plain'} disabled={isPending} onClick={() => mutate()}>
        {texts.withCompany}
      </Button>
    </>
  )
}

type SignInProps = CodeProps & AfterSignIn & { readonly look: 'plain' | 'primary' }

/** Signs in by the link, where people have no passwords. */
const SignInInvited = ({ code, look, ...after }: SignInProps): ReactNode => {
  const { signIn } = useWorkTexts()
  const { error, isPending, mutate } = useMutation({
    mutationFn: () => acceptInvitation({ code }),
    onSuccess: (answer) => goOn(answer, after),
  })
  const fault = useFault(error)
  return (
    <>
      {fault !== undefined && <p role="alert">{fault}</p>}
      <Button look={look} disabled={isPending} onClick={() => mutate()}>
        {signIn.withProvider}
      </Button>
    </>
  )
}
