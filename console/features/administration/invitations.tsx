/** The link of an invitation, shown once, and the dialog that creates one for a user who is there already. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import {
  createInvitation,
  invitationsQuery,
  type NewInvitation,
  type OpenInvitation,
  revokeInvitation,
  sendInvitation,
  usersKey,
} from '../../api/admin/accounts.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Dialog, DialogActions, DialogButton, DialogEnd } from '../../parts/dialog.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useProvenMutation } from '../session/proof/asked-proof.tsx'
import { useReading, useSession } from '../session/session.ts'
import { Failure, Moment } from './work-table.tsx'

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

/** The invitations that are open, each of which can be revoked. */
export const Invitations = (): ReactNode => {
  const { invitations: texts } = useAdminTexts()
  return (
    <section className="admin-stack">
      <h2>{texts.title}</h2>
      <p className="admin-note">{texts.help}</p>
      <OpenInvitations />
    </section>
  )
}

const OpenInvitations = (): ReactNode => {
  const { invitations: texts, roles } = useAdminTexts()
  const { data, error } = useQuery(invitationsQuery)
  if (error) return <ProblemNote error={error} />
  if (!data) return <Waiting />
  if (data.length === 0) return <p>{texts.none}</p>
  const columns: readonly TableColumn<OpenInvitation>[] = [
    {
      key: 'user',
      label: roles.user,
      isWide: true,
      render: ({ user }) => (
        <span className="admin-two">
          <Link to="/$entity/$id" params={{ entity: 'user', id: `${user.id}` }} dir="auto">
            {user.full_name}
          </Link>
          <small>
            <bdi>{user.email}</bdi>
          </small>
        </span>
      ),
    },
    {
      key: 'by',
      label: texts.by,
      render: ({ invited_by: by }) => <bdi>{by?.full_name ?? texts.commandLine}</bdi>,
    },
    { key: 'until', label: texts.until, render: ({ expires_at: at }) => <Moment at={at} /> },
    { key: 'actions', label: roles.actions, render: (one) => <Revoke {...one} /> },
  ]
  return <DataTable label={texts.title} columns={columns} rows={data} keyOf={({ id }) => id} />
}

const Revoke = ({ id, user }: OpenInvitation): ReactNode => {
  const { invitations: texts } = useAdminTexts()
  const client = useQueryClient()
  const revocation = useMutation({
    mutationFn: revokeInvitation,
    // One that was used meanwhile leaves the list too.
    onSettled: () => client.invalidateQueries({ queryKey: usersKey }),
  })
  return (
    <span className="admin-row">
      <Button
        look="danger"
        aria-label={texts.revokeOf(user.full_name)}
        disabled={revocation.isPending}
        onClick={() => revocation.mutate(id)}
      >
        {texts.revoke}
      </Button>
      <Failure error={revocation.error} />
    </span>
  )
}
