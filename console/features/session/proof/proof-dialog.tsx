/** Asks who the user is before they change how they sign in: by what they have. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { send, urlOf } from '../../../api/client.ts'
import {
  beginPasskeySignIn,
  type Credentials,
  credentialsQuery,
  prove,
} from '../../../api/own/credentials.ts'
import { meQuery } from '../../../api/queries.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog, DialogActions } from '../../../parts/dialog.tsx'
import { ProblemNote } from '../../../parts/notes.tsx'
import { useWorkTexts } from '../../../texts/texts.ts'
import { signWithPasskey, usePasskeyFault } from '../passkey.tsx'
import { CodeInput, PasswordInput, usePasswordFault } from '../password-input.tsx'
import { useSession } from '../session.ts'

type Props = { readonly onProven: () => void; readonly onClose: () => void }

export const ProofDialog = ({ onProven, onClose }: Props): ReactNode => {
  const client = useQueryClient()
  const { data, error, refetch } = useQuery(credentialsQuery)
  const texts = useWorkTexts().credentials
  const finish = () => {
    void client.invalidateQueries({ queryKey: credentialsQuery.queryKey })
    onProven()
  }
  if (data) return <AskProof credentials={data} onProven={finish} onClose={onClose} />
  return (
    error && (
      <Dialog title={texts.proofTitle} onClose={onClose}>
        <ProblemNote error={error} onRetry={() => void refetch()} />
      </Dialog>
    )
  )
}

type AskProps = {
  readonly credentials: Credentials
  readonly onProven: () => void
  readonly onClose: () => void
}

const AskProof = ({ credentials, onProven, onClose }: AskProps): ReactNode => {
  const { credentials: texts, passwords } = useWorkTexts()
  const { app_since: app, passkeys } = credentials
  // With an app the password is no proof.
  const hasPassword = credentials.has_password && app === null
  const faultOf = usePasswordFault()
  const passkeyFaultOf = usePasskeyFault()
  const proof = useMutation({ mutationFn: prove, onSuccess: onProven })
  const signing = useMutation({
    mutationFn: async () => prove({ passkey: await signWithPasskey(await beginPasskeySignIn()) }),
    onSuccess: onProven,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    proof.mutate(
      hasPassword
        ? { password: String(given.get('password')) }
        : { code: String(given.get('code')).replaceAll(/\s/g, '') },
    )
  }
  const hasIssuer = useSession().config.signIn === 'issuer'
  const hasNothing = !hasPassword && app === null && passkeys.length === 0 && !hasIssuer
  return (
    <Dialog title={texts.proofTitle} onClose={onClose}>
      <div className="setting-form">
        <p>{hasNothing ? texts.proofNothing : texts.proofIntro}</p>
        {passkeys.length > 0 && (
          <>
            {signing.error && <p role="alert">{passkeyFaultOf(signing.error)}</p>}
            <Button look="primary" disabled={signing.isPending} onClick={() => signing.mutate()}>
              {texts.proofByPasskey}
            </Button>
          </>
        )}
        {hasIssuer && <ProviderLink />}
        <form className="setting-form" onSubmit={submit}>
          {hasPassword && (
            <PasswordInput
              label={passwords.password}
              name="password"
              autoComplete="current-password"
            />
          )}
          {!hasPassword && app !== null && <CodeInput label={texts.appCode} />}
          {proof.error && (
            <p role="alert">
              {faultOf(proof.error, {
                400: hasPassword ? passwords.notCurrent : texts.wrongAppCode,
              })}
            </p>
          )}
          <DialogActions onCancel={onClose}>
            {hasNothing && <SignInAgain onSignedOut={onClose} />}
            {(hasPassword || app !== null) && (
              <Button type="submit" look="primary" disabled={proof.isPending}>
                {texts.confirm}
              </Button>
            )}
          </DialogActions>
        </form>
      </div>
    </Dialog>
  )
}

/** Signs in again at the issuer, which asks also a person whom it knows, and comes back to this page. */
const ProviderLink = (): ReactNode => {
  const { passwords } = useWorkTexts()
  const { pathname, search } = window.location
  const address = urlOf('/console/-/login', { to: `${pathname}${search}`, again: 'yes' })
  return (
    <a className="button" data-look="plain" href={address}>
      {passwords.withCompany}
    </a>
  )
}

type AgainProps = { readonly onSignedOut: () => void }

/** Ends the session: the sign-in opens over the page, which keeps what was typed. */
const SignInAgain = ({ onSignedOut }: AgainProps): ReactNode => {
  const texts = useWorkTexts().credentials
  const client = useQueryClient()
  const leaving = useMutation({
    mutationFn: () => send('/console/-/session', { method: 'DELETE' }),
    onSuccess: () => {
      onSignedOut()
      return client.invalidateQueries(meQuery)
    },
  })
  return (
    <>
      {leaving.error && <p role="alert">{leaving.error.message}</p>}
      <Button look="primary" disabled={leaving.isPending} onClick={() => leaving.mutate()}>
        {texts.proofAgain}
      </Button>
    </>
  )
}
