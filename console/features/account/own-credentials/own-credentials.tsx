/** How the user signs in: password, passkeys, second factor. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { ApiProblem } from '../../../api/client.ts'
import { sessionsQuery } from '../../../api/own/account.ts'
import {
  type Credentials,
  changePassword,
  credentialsQuery,
  removeApp,
  renewRecoveryCodes,
} from '../../../api/own/credentials.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { ProblemNote, Waiting } from '../../../parts/notes.tsx'
import { TitledSection } from '../../../parts/sections.tsx'
import { useWorkTexts } from '../../../texts/texts.ts'
import { formatMoment } from '../../format/format-value.ts'
import { PasswordInput, usePasswordFault } from '../../session/password-input.tsx'
import { isUnproven, useProvenMutation } from '../../session/proof/asked-proof.tsx'
import { AppSetUp, RecoveryCodes } from '../../session/second-step/app-set-up.tsx'
import { useReading, useSession } from '../../session/session.ts'
import { ConfirmDialog, useProof } from './confirm-dialog.tsx'
import { PasskeyList } from './passkey-list.tsx'

export const OwnCredentials = (): ReactNode => {
  const { credentials: texts, passwords } = useWorkTexts()
  const { config } = useSession()
  const { data, error } = useQuery(credentialsQuery)
  if (!data) return error ? <ProblemNote error={error} /> : <Waiting />
  const hasPasswords = config.ways.includes('password')
  // A passkey is two factors already.
  const hasOneFactor = data.has_password || config.ways.includes('code')
  return (
    <>
      {hasPasswords && (
        <TitledSection title={passwords.password}>
          <PasswordChange credentials={data} />
        </TitledSection>
      )}
      {config.ways.includes('passkey') && (
        <TitledSection title={texts.passkeys}>
          <PasskeyList credentials={data} />
        </TitledSection>
      )}
      {hasOneFactor && (
        <TitledSection title={texts.secondFactor}>
          <SecondFactor credentials={data} />
        </TitledSection>
      )}
    </>
  )
}

// Changes the password of the user, or sets their first one, which ends their other sessions.

const isOfNew = (error: Error): boolean =>
  error instanceof ApiProblem && error.issues.some(({ path }) => path === 'new_password')

type ChangeProps = {
  readonly credentials: Credentials
}

const PasswordChange = ({ credentials }: ChangeProps): ReactNode => {
  const texts = useWorkTexts().passwords
  const { me } = useSession()
  const client = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const faultOf = usePasswordFault()
  const change = useProvenMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      form.current?.reset()
      void client.invalidateQueries({ queryKey: credentialsQuery.queryKey })
      return client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    },
  })
  const { error } = change
  const isFirst = !credentials.has_password
  const { withProof, dialog } = useProof(credentials)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const next = {
      new_password: String(given.get('new_password')),
      ...(!isFirst && { password: String(given.get('password')) }),
    }
    if (isFirst || credentials.app_since !== null) withProof(() => change.mutate(next))
    else change.mutate(next)
  }
  return (
    <>
      <form ref={form} className="setting-form" onSubmit={submit}>
        {/* Password managers store the password with it. */}
        <input type="email" autoComplete="username" value={me.email ?? ''} readOnly hidden />
        {!isFirst && (
          <PasswordInput label={texts.current} name="password" autoComplete="current-password" />
        )}
        <PasswordInput label={texts.newPassword} name="new_password" autoComplete="new-password" />
        {error && (
          <p role="alert">
            {faultOf(error, {
              400: isOfNew(error) ? texts.weak : texts.notCurrent,
              403: isUnproven(error) ? undefined : texts.none,
            })}
          </p>
        )}
        <p role="status">{change.isSuccess && texts.changed}</p>
        <div className="setting-actions">
          <Button type="submit" disabled={change.isPending}>
            {isFirst ? texts.set : texts.change}
          </Button>
        </div>
      </form>
      {dialog}
      {change.proof}
    </>
  )
}

// The second factor of the user's password: an authenticator app, and its recovery codes.

type FactorProps = { readonly credentials: Credentials }

const SecondFactor = ({ credentials }: FactorProps): ReactNode => {
  const texts = useWorkTexts().credentials
  const reading = useReading()
  const client = useQueryClient()
  const { withProof, dialog } = useProof(credentials)
  const [opened, setOpened] = useState<'app' | 'removal'>()
  const { app_since: since, recovery_codes: left } = credentials
  const renewal = useProvenMutation({ mutationFn: renewRecoveryCodes })
  const close = () => {
    setOpened(undefined)
    renewal.reset()
    void client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    void client.invalidateQueries({ queryKey: credentialsQuery.queryKey })
  }
  return (
    <>
      <p>
        {since === null
          ? credentials.has_password
            ? texts.noApp
            : texts.noAppByCode
          : `${texts.appSince(formatMoment(since, reading))} ${texts.codesLeft(left)}`}
      </p>
      {renewal.error && <p role="alert">{renewal.error.message}</p>}
      <div className="setting-actions">
        <Button onClick={() => withProof(() => setOpened('app'))}>
          {since === null ? texts.setUpApp : texts.replaceApp}
        </Button>
        {since !== null && (
          <>
            <Button disabled={renewal.isPending} onClick={() => withProof(() => renewal.mutate())}>
              {texts.newCodes}
            </Button>
            <Button onClick={() => withProof(() => setOpened('removal'))}>{texts.removeApp}</Button>
          </>
        )}
      </div>
      {dialog}
      {renewal.proof}
      {opened === 'app' && (
        <Dialog title={texts.setUpTitle} onClose={close}>
          <div className="sign-in-form">
            <AppSetUp onDone={close} />
          </div>
        </Dialog>
      )}
      {opened === 'removal' && (
        <ConfirmDialog
          title={texts.removeAppTitle}
          help={texts.removeAppHelp}
          face={texts.removeApp}
          end={removeApp}
          onEnded={close}
          onClose={close}
        />
      )}
      {renewal.data && (
        <Dialog title={texts.newCodes} onClose={close}>
          <RecoveryCodes codes={renewal.data} onDone={close} />
        </Dialog>
      )}
    </>
  )
}
