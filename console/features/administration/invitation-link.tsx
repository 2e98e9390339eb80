/** The link of an invitation, shown once, and the dialog that creates one for a user who is there already. */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import {
  createInvitation,
  type NewInvitation,
  sendInvitation,
  usersKey,
} from '../../api/admin/invitations.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog, DialogActions, DialogEnd } from '../../parts/dialog.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useProvenMutation } from '../session/proof/asked-proof.tsx'
import { useReading, useSession } from '../session/session.ts'
import { Failure } from './work-table.tsx'

type LineProps = { readonly label: string; readonly line: string }

/** A line to be copied for the invited person. */
export const LineToCopy = ({ label, line }: LineProps): ReactNode => {
  const { invite: texts } = useAdminTexts()
  const id = useId()
  return (
    <div className="invite-field">
      <label htmlFor={id}>{label}</label>
      <div className="invite-line">
        <input
          id={id}
          className="field-input"
          readOnly
          dir="ltr"
          value={line}
          onFocus={({ target }) => target.select()}
        />
        <CopyButton text={line} face={texts.copy} copiedFace={texts.copied} />
      </div>
    </div>
  )
}

export const InvitationLink = ({ link, expires_at: until }: NewInvitation): ReactNode => {
  const { invitations: texts } = useAdminTexts()
  const reading = useReading()
  if (link === null) return <p role="status">{texts.sent(formatMoment(until, reading))}</p>
  return (
    <>
      <LineToCopy label={texts.link} line={link} />
      <p>{texts.once(formatMoment(until, reading))}</p>
    </>
  )
}

/** Creates the link of a user, by id, or sends it. `proof` is to be rendered. */
export const useNewInvitation = (create = createInvitation) => {
  const client = useQueryClient()
  return useProvenMutation({
    mutationFn: create,
    onSuccess: () => client.invalidateQueries({ queryKey: usersKey }),
  })
}

type SendProps = { readonly userId: number; readonly onClose: () => void }

/** The end of a dialog: what comes of a user's invitation is chosen: an e-mail, or the link to copy. */
export const SendOrCopy = ({ userId, onClose }: SendProps): ReactNode => {
  const { invitations: texts } = useAdminTexts()
  const sending = useNewInvitation(sendInvitation)
  const creation = useNewInvitation()
  const done = sending.data ?? creation.data
  if (done)
    return (
      <>
        <InvitationLink {...done} />
        <DialogEnd onClose={onClose} />
      </>
    )
  const isPending = sending.isPending || creation.isPending
  return (
    <>
      <Failure error={sending.error ?? creation.error} />
      {sending.proof ?? creation.proof}
      <DialogEnd onClose={onClose} look="plain">
        <Button disabled={isPending} onClick={() => creation.mutate(userId)}>
          {texts.create}
        </Button>
        <Button look="primary" disabled={isPending} onClick={() => sending.mutate(userId)}>
          {texts.send}
        </Button>
      </DialogEnd>
    </>
  )
}

type User = { readonly id: number; readonly name: string }

type DialogProps = { readonly user: User; readonly onClose: () => void }

/** It says first what the link does, because an earlier one stops working. */
const InvitationDialog = ({ user, onClose }: DialogProps): ReactNode => {
  const { invitations: texts } = useAdminTexts()
  const { sendsEmail } = useSession().config
  const { data, error, proof, isPending, mutate } = useNewInvitation()
  if (sendsEmail)
    return (
      <Dialog title={texts.titleOf(user.name)} onClose={onClose}>
        <div className="admin-stack">
          <p>{texts.what}</p>
          <SendOrCopy userId={user.id} onClose={onClose} />
        </div>
      </Dialog>
    )
  return (
    <Dialog title={texts.titleOf(user.name)} onClose={onClose}>
      <div className="admin-stack">
        {data ? <InvitationLink {...data} /> : <p>{texts.what}</p>}
        <Failure error={error} />
        {proof}
        {data ? (
          <DialogEnd onClose={onClose} />
        ) : (
          <DialogActions onCancel={onClose}>
            <Button look="primary" disabled={isPending} onClick={() => mutate(user.id)}>
              {texts.create}
            </Button>
          </DialogActions>
        )}
      </div>
    </Dialog>
  )
}

/** Invites a user who is there already: for the first time, or because the password is forgotten. */
export const InviteUser = ({ user }: { readonly user: User }): ReactNode => {
  const { invitations: texts } = useAdminTexts()
  return (
    <DialogButton
      aria-label={texts.inviteOf(user.name)}
      dialog={(onClose) => <InvitationDialog user={user} onClose={onClose} />}
    >
      {texts.invite}
    </DialogButton>
  )
}
