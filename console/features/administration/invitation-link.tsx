/** The link of an invitation, shown once, and the dialog that creates one for a user who is there already. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { createInvitation, type NewInvitation, usersKey } from '../../api/admin/invitations.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useAdminTexts, useTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'
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
  return (
    <>
      <LineToCopy label={texts.link} line={link} />
      <p>{texts.once(formatMoment(until, reading))}</p>
    </>
  )
}

/** Creates the link of a user, by id. */
export const useNewInvitation = () => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: createInvitation,
    onSuccess: () => client.invalidateQueries({ queryKey: usersKey }),
  })
}

type User = { readonly id: number; readonly name: string }

type DialogProps = { readonly user: User; readonly onClose: () => void }

/** It says first what the link does, because an earlier one stops working. */
const InvitationDialog = ({ user, onClose }: DialogProps): ReactNode => {
  const { invitations: texts } = useAdminTexts()
  const { common } = useTexts()
  const { data, error, isPending, mutate } = useNewInvitation()
  return (
    <Dialog title={texts.titleOf(user.name)} onClose={onClose}>
      <div className="admin-stack">
        {data ? <InvitationLink {...data} /> : <p>{texts.what}</p>}
        <Failure error={error} />
        {data ? (
          <div className="dialog-actions">
            <Button look="primary" autoFocus onClick={onClose}>
              {common.close}
            </Button>
          </div>
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
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button
        aria-haspopup="dialog"
        aria-label={texts.inviteOf(user.name)}
        onClick={() => setIsOpen(true)}
      >
        {texts.invite}
      </Button>
      {isOpen && <InvitationDialog user={user} onClose={() => setIsOpen(false)} />}
    </>
  )
}
