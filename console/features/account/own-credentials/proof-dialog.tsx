/** Asks who the user is before they change how they sign in: by what they have. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ApiProblem, urlOf } from '../../../api/client.ts'
import {
  beginPasskeySignIn,
  type Credentials,
  credentialsQuery,
  prove,
} from '../../../api/own/credentials.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog, DialogActions } from '../../../parts/dialog.tsx'
import { useWorkTexts } from '../../../texts/texts.ts'
import { signWithPasskey, usePasskeyFault } from '../../session/passkey.ts'
import { PasswordInput, usePasswordFault } from '../../session/password-input.tsx'
import { CodeInput } from '../../session/second-step/code-input.tsx'
import { useSession } from '../../session/session.ts'

type DialogProps = {
  readonly credentials: Credentials
  readonly onProven: () => void
  readonly onClose: () => void
}

export const ProofDialog = ({ credentials, onProven, onClose }: DialogProps): ReactNode => {
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
              label={passwords.current}
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

/** Whether an error says that the user has to prove who they are. */
export const needsProof = (error: Error): boolean =>
  error instanceof ApiProblem && error.code === 'caller.not-proven'

/**
 * Runs what needs a recent proof: at once if the user has given one, and otherwise after they have. `dialog` is to be rendered.
 */
export const useProof = (credentials: Credentials) => {
  const client = useQueryClient()
  const [waiting, setWaiting] = useState<{ readonly work: () => void }>()
  const refresh = () => client.invalidateQueries({ queryKey: credentialsQuery.queryKey })
  const withProof = (work: () => void) => {
    if (credentials.is_proven) work()
    else setWaiting({ work })
  }
  const dialog = waiting && (
    <ProofDialog
      credentials={credentials}
      onClose={() => setWaiting(undefined)}
      onProven={() => {
        setWaiting(undefined)
        void refresh()
        waiting.work()
      }}
    />
  )
  return { withProof, dialog, askAgain: (work: () => void) => setWaiting({ work }) }
}
