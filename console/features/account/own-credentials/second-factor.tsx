/** The second factor of the user's password: an authenticator app, and its recovery codes. */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { sessionsQuery } from '../../../api/own/account.ts'
import {
  type Credentials,
  credentialsQuery,
  removeApp,
  renewRecoveryCodes,
} from '../../../api/own/credentials.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { useWorkTexts } from '../../../texts/texts.ts'
import { formatMoment } from '../../format/format-value.ts'
import { useProvenMutation } from '../../session/proof/asked-proof.tsx'
import { AppSetUp, RecoveryCodes } from '../../session/second-step/app-set-up.tsx'
import { useReading } from '../../session/session.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { useProof } from './use-proof.tsx'

type FactorProps = { readonly credentials: Credentials }

export const SecondFactor = ({ credentials }: FactorProps): ReactNode => {
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
