/** The passkeys of the user: made, renamed and removed. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sessionsQuery } from '../../../api/own/account.ts'
import {
  addPasskey,
  beginPasskey,
  type Credentials,
  credentialsQuery,
  type OwnPasskey,
  removePasskey,
  renamePasskey,
} from '../../../api/own/credentials.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog, DialogActions } from '../../../parts/dialog.tsx'
import { useTexts, useWorkTexts } from '../../../texts/texts.ts'
import { formatMoment } from '../../format/format-value.ts'
import { useBrowserName } from '../../session/browser-name.ts'
import { makePasskey, usePasskeyFault } from '../../session/passkey.tsx'
import { useProvenMutation } from '../../session/proof/asked-proof.tsx'
import { useReading } from '../../session/session.ts'
import { ConfirmDialog, useProof } from './confirm-dialog.tsx'

type ListProps = { readonly credentials: Credentials }

export const PasskeyList = ({ credentials }: ListProps): ReactNode => {
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
