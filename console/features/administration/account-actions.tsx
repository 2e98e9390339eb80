/** What administrators do with one account: invite, block, deactivate and let in again, and end sessions. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Account, endSessionsOfUser, sessionsOfUserQuery } from '../../api/admin/accounts.ts'
import { usersKey } from '../../api/admin/invitations.ts'
import { changeUser } from '../../api/admin/roles.ts'
import { sessionQuery } from '../../api/own/session.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogEnd } from '../../parts/dialog.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { laterPart } from '../../parts/later.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { Sessions } from '../account/session-list.tsx'
import { useBecome } from '../session/acting-user.tsx'
import { mayInvite } from '../session/may-invite.ts'
import { useSession } from '../session/session.ts'
import { InviteUser } from './invitation-link.tsx'
import { LeaveDialog } from './leave-dialog.tsx'
import { Failure } from './work-table.tsx'

const KeyList = laterPart(
  async () => (await import('../account/own-keys/key-list.tsx')).KeyList,
  Waiting,
)

type Props = { readonly account: Account }

/** Nobody shuts themselves out by a slip. */
export const AccountActions = ({ account }: Props): ReactNode => {
  const { roles: texts, accounts } = useAdminTexts()
  const { config, me } = useSession()
  const { id, version, full_name: name, is_active: isActive, is_blocked: isBlocked } = account
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: changeUser,
    onSettled: () => client.invalidateQueries({ queryKey: usersKey }),
  })
  const onChange = (body: Parameters<typeof changeUser>[0]['body']) =>
    change.mutate({ id, version, body })
  // Nobody comes back as who was anonymised.
  const isChanged = id !== me.id && !account.is_anonymised
  return (
    <span className="admin-row">
      {mayInvite(config) && isActive && !isBlocked && <InviteUser user={{ id, name }} />}
      <Opened name={name} label={accounts.sessions} dialog={SessionsDialog} account={account} />
      <Opened name={name} label={accounts.keys} dialog={KeysDialog} account={account} />
      {isChanged && (
        <Button
          look={isBlocked ? 'plain' : 'danger'}
          aria-label={`${isBlocked ? texts.unblock : texts.block}: ${name}`}
          disabled={change.isPending}
          onClick={() => onChange({ is_blocked: !isBlocked })}
        >
          {isBlocked ? texts.unblock : texts.block}
        </Button>
      )}
      {isChanged && !isActive && (
        <Button
          aria-label={`${accounts.activate}: ${name}`}
          disabled={change.isPending}
          onClick={() => onChange({ is_active: true })}
        >
          {accounts.activate}
        </Button>
      )}
      {isChanged && (
        <Opened
          name={name}
          label={isActive ? accounts.deactivate : accounts.handOver}
          dialog={LeaveDialog}
          account={account}
        />
      )}
      <SeeAs userId={id} />
      <Failure error={change.error} />
    </span>
  )
}

type OpenedProps = Props & {
  readonly name: string
  readonly label: string
  readonly dialog: (props: Props & { readonly onClose: () => void }) => ReactNode
}

/** A button that opens a dialog about the account. */
const Opened = ({ name, label, dialog: Shown, account }: OpenedProps): ReactNode => (
  <DialogButton
    aria-label={`${label} ${name}`}
    dialog={(onClose) => <Shown account={account} onClose={onClose} />}
  >
    {label}
  </DialogButton>
)

type DialogProps = Props & { readonly onClose: () => void }

const SessionsDialog = ({ account: { id, full_name: name }, onClose }: DialogProps): ReactNode => {
  const { accounts: texts } = useAdminTexts()
  const client = useQueryClient()
  const sessions = useQuery(sessionsOfUserQuery(id))
  const end = useMutation({
    mutationFn: (session?: number) => endSessionsOfUser(id, session),
    // One that has ended meanwhile leaves the list too.
    onSettled: () => client.invalidateQueries({ queryKey: usersKey }),
  })
  const { data, error } = sessions
  return (
    <Dialog title={texts.sessionsOf(name)} onClose={onClose}>
      {!data && (error ? <ProblemNote error={error} /> : <Waiting />)}
      {data?.length === 0 && <p>{texts.noSessions}</p>}
      {data && data.length > 0 && <Sessions sessions={data} error={end.error} onEnd={end.mutate} />}
      <DialogEnd onClose={onClose}>
        {data && data.length > 1 && (
          <Button look="danger" disabled={end.isPending} onClick={() => end.mutate(undefined)}>
            {texts.endAll}
          </Button>
        )}
      </DialogEnd>
    </Dialog>
  )
}

const KeysDialog = ({ account: { id, full_name: name }, onClose }: DialogProps): ReactNode => {
  const { accounts: texts } = useAdminTexts()
  const client = useQueryClient()
  // The list of users says who has a key.
  const onRevoked = () => void client.invalidateQueries({ queryKey: usersKey })
  return (
    <Dialog title={texts.keysOf(name)} onClose={onClose}>
      <KeyList userId={id} none={texts.noKeys} onRevoked={onRevoked} />
      <DialogEnd onClose={onClose} />
    </Dialog>
  )
}

/** Only sessions of development may become another user. */
const SeeAs = ({ userId }: { readonly userId: number }): ReactNode => {
  const { roles: texts } = useAdminTexts()
  const { me } = useSession()
  const session = useQuery(sessionQuery)
  const become = useBecome()
  const isOffered = session.data?.users?.some(({ id }) => id === userId) === true
  if (!isOffered || userId === me.id) return null
  return (
    <>
      <Button disabled={become.isPending} onClick={() => become.mutate(userId)}>
        {texts.seeAs}
      </Button>
      <Failure error={become.error} />
    </>
  )
}
