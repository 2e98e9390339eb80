/** How the user signs in: password, passkeys, second factor. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { ApiProblem } from '../../../api/client.ts'
import { sessionsQuery } from '../../../api/own/account.ts'
import {
  addPasskey,
  beginPasskey,
  type Credentials,
  changePassword,
  credentialsQuery,
  type OwnPasskey,
  removeApp,
  removePasskey,
  renamePasskey,
  renewRecoveryCodes,
} from '../../../api/own/credentials.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog, DialogActions } from '../../../parts/dialog.tsx'
import { ProblemNote, Waiting } from '../../../parts/notes.tsx'
import { TitledSection } from '../../../parts/sections.tsx'
import { useTexts, useWorkTexts } from '../../../texts/texts.ts'
import { formatMoment } from '../../format/format-value.ts'
import { useBrowserName } from '../../session/browser-name.ts'
import { makePasskey, usePasskeyFault } from '../../session/passkey.tsx'
import { PasswordInput, usePasswordFault } from '../../session/password-input.tsx'
import { isUnproven, useProvenMutation } from '../../session/proof/asked-proof.tsx'
import { AppSetUp, RecoveryCodes } from '../../session/second-step/app-set-up.tsx'
import { useReading, useSession } from '../../session/session.ts'
import { ConfirmDialog, useProof } from './confirm-dialog.tsx'

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

// The passkeys of the user: made, renamed and removed.

type ListProps = { readonly credentials: Credentials }

const PasskeyList = ({ credentials }: ListProps): ReactNode => {
  const texts = useWorkTexts().credentials
  const client = useQueryClient()
  const faultOf = usePasskeyFault()
  const name = useBrowserName(navigator.userAgent)
  const { withProof, dialog } = useProof(credentials)
  const making = useProvenMutation({
    mutationFn: async () => addPasskey({ name, passkey: await makePasskey(await beginPasskey()) }),
    onSettled: () => client.invalidateQueries({ queryKey: credentialsQuery.queryKey }),
  })
  const { error } = making
  return (
    <>
      <p className="setting-help">{texts.passkeyHelp}</p>
      {credentials.passkeys.length > 0 && (
        <ul className="setting-list">
          {credentials.passkeys.map((passkey) => (
            <li key={passkey.id}>
              <Passkey passkey={passkey} withProof={withProof} />
            </li>
          ))}
        </ul>
      )}
      {error && <p role="alert">{faultOf(error)}</p>}
      <div className="setting-actions">
        <Button disabled={making.isPending} onClick={() => withProof(() => making.mutate())}>
          {texts.create}
        </Button>
      </div>
      {dialog}
      {making.proof}
    </>
  )
}

type PasskeyProps = {
  readonly passkey: OwnPasskey
  readonly withProof: (work: () => void) => void
}

const Passkey = ({ passkey, withProof }: PasskeyProps): ReactNode => {
  const { credentials: texts, settings } = useWorkTexts()
  const reading = useReading()
  const client = useQueryClient()
  const [opened, setOpened] = useState<'name' | 'removal'>()
  const { id, name, created_at: created, last_used_at: used } = passkey
  const close = () => setOpened(undefined)
  return (
    <>
      <div>
        <span dir="auto">{name}</span>
        <small className="setting-help">
          {texts.made(formatMoment(created, reading))} ·{' '}
          {used === null ? texts.neverUsed : settings.lastUsed(formatMoment(used, reading))}
        </small>
      </div>
      <span className="setting-actions">
        <Button aria-label={texts.renameOf(name)} onClick={() => setOpened('name')}>
          {texts.rename}
        </Button>
        <Button
          aria-label={texts.removeOf(name)}
          onClick={() => withProof(() => setOpened('removal'))}
        >
          {texts.remove}
        </Button>
      </span>
      {opened === 'name' && <NameDialog passkey={passkey} onClose={close} />}
      {opened === 'removal' && (
        <ConfirmDialog
          title={texts.removeTitle(name)}
          help={texts.removeHelp}
          face={texts.remove}
          end={() => removePasskey(id)}
          onEnded={() => {
            close()
            void client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
            void client.invalidateQueries({ queryKey: credentialsQuery.queryKey })
          }}
          onClose={close}
        />
      )}
    </>
  )
}

type DialogProps = { readonly passkey: OwnPasskey; readonly onClose: () => void }

const NameDialog = ({ passkey, onClose }: DialogProps): ReactNode => {
  const texts = useWorkTexts().credentials
  const { common } = useTexts()
  const client = useQueryClient()
  const renaming = useMutation({
    mutationFn: renamePasskey,
    onSuccess: () => {
      onClose()
      return client.invalidateQueries({ queryKey: credentialsQuery.queryKey })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    renaming.mutate({ id: passkey.id, name })
  }
  return (
    <Dialog title={texts.renameOf(passkey.name)} onClose={onClose}>
      <form className="setting-form" onSubmit={submit}>
        <label>
          {texts.name}
          <input
            className="field-input"
            name="name"
            defaultValue={passkey.name}
            maxLength={100}
            autoFocus
            required
          />
        </label>
        {renaming.error && <p role="alert">{renaming.error.message}</p>}
        <DialogActions onCancel={onClose}>
          <Button type="submit" look="primary" disabled={renaming.isPending}>
            {common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
