/** What administrators do with one account: invite, block, deactivate and let in again, and end sessions. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import {
  type Account,
  changeUser,
  endSessionsOfUser,
  type HandedOver,
  leave,
  sessionsOfUserQuery,
  usersKey,
  type WorkOfUser,
  workOfUserQuery,
} from '../../api/admin/accounts.ts'
import { sessionQuery } from '../../api/own/session.ts'
import { userKey } from '../../api/queries.ts'
import { useRecordNames } from '../../api/record-names.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions, DialogButton, DialogEnd } from '../../parts/dialog.tsx'
import { laterPart } from '../../parts/later.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { Sessions } from '../account/session-list.tsx'
import { useBecome } from '../session/acting-user.tsx'
import { mayInvite, useSession } from '../session/session.ts'
import { InviteUser } from './invitations.tsx'
import { PersonInput } from './person-input.tsx'
import { Failure } from './work-table.tsx'

const KeyList = laterPart(
  async () => (await import('../account/own-keys/key-list.tsx')).KeyList,
  Waiting,
)

type Props = { readonly account: Account }

/** No user removes their own access by mistake. */
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
  const session = useQuery(sessionQuery)
  const become = useBecome()
  if (!session.data?.users?.some(({ id }) => id === userId)) return null
  return (
    <>
      <Button disabled={become.isPending} onClick={() => become.mutate(userId)}>
        {texts.seeAs}
      </Button>
      <Failure error={become.error} />
    </>
  )
}

// A user leaves: what of their work moves, to whom, and what could not.

type LeaveProps = { readonly account: Account; readonly onClose: () => void }

const LeaveDialog = ({ account, onClose }: LeaveProps): ReactNode => {
  const { accounts: texts } = useAdminTexts()
  const work = useQuery(workOfUserQuery(account.id))
  const client = useQueryClient()
  const leaving = useMutation({
    mutationFn: leave,
    onSuccess: ({ items, kept }) => {
      if (items.length + kept.length === 0) onClose()
      return client.invalidateQueries({ queryKey: [userKey] })
    },
  })
  const { full_name: name } = account
  // The list is read again when the user has left, and this dialog still says what was done.
  const [isActive] = useState(account.is_active)
  return (
    <Dialog
      title={isActive ? texts.deactivateTitle(name) : texts.handOverTitle(name)}
      onClose={onClose}
    >
      {leaving.data ? (
        <Outcome
          done={leaving.data}
          left={isActive ? name : undefined}
          to={leaving.variables.to}
          onClose={onClose}
        />
      ) : work.data ? (
        <LeaveForm
          work={work.data}
          isActive={isActive}
          isPending={leaving.isPending}
          error={leaving.error}
          onLeave={(to) => leaving.mutate({ id: account.id, to })}
          onClose={onClose}
        />
      ) : work.error ? (
        <ProblemNote error={work.error} />
      ) : (
        <Waiting />
      )}
    </Dialog>
  )
}

type FormProps = {
  readonly work: WorkOfUser
  readonly isActive: boolean
  readonly isPending: boolean
  readonly error: Error | null
  readonly onLeave: (to: number | undefined) => void
  readonly onClose: () => void
}

const LeaveForm = ({ work, isActive, isPending, error, onLeave, onClose }: FormProps) => {
  const { accounts: texts } = useAdminTexts()
  const input = useId()
  const [to, setTo] = useState<number>()
  const isWork = work.items.length > 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onLeave(to)
  }
  return (
    <form className="admin-stack" onSubmit={submit}>
      {isActive && <p>{texts.ends}</p>}
      <p>{isWork ? texts.moves : texts.noWork}</p>
      {isWork && (
        <>
          <WorkList items={work.items} />
          <div className="invite-field">
            <label htmlFor={input}>{texts.taker}</label>
            <PersonInput id={input} userId={to} onChange={setTo} />
          </div>
        </>
      )}
      <Failure error={error} />
      <DialogActions onCancel={onClose}>
        <Button
          type="submit"
          look={isActive ? 'danger' : 'primary'}
          disabled={isPending || (isWork ? to === undefined : !isActive)}
        >
          {isActive ? texts.deactivateNow : texts.handOverNow}
        </Button>
      </DialogActions>
    </form>
  )
}

/** How many records or tasks there are of what, by the names of entities and fields. */
const WorkList = ({ items }: Pick<WorkOfUser, 'items'>): ReactNode => {
  const { accounts: texts } = useAdminTexts()
  const { entities } = useSession()
  return (
    <ul className="admin-list">
      {items.map(({ entity: key, field: fieldKey, count }) => {
        const entity = entities.get(key)
        const field = entity?.fields.find((one) => one.key === fieldKey)
        const what = fieldKey === null ? texts.openTasks : field ? labelOf(field) : fieldKey
        return (
          <li key={`${key} ${fieldKey}`} dir="auto">
            {texts.item(entity?.name ?? key, what, count)}
          </li>
        )
      })}
    </ul>
  )
}

type OutcomeProps = Pick<LeaveProps, 'onClose'> & {
  readonly done: HandedOver
  /** The name of who was deactivated with it. */
  readonly left: string | undefined
  /** Who has it now. */
  readonly to: number | undefined
}

/** What another user has now, and what its own rules have kept with the user. */
const Outcome = ({ done: { items, kept }, left, to, onClose }: OutcomeProps): ReactNode => {
  const { accounts: texts, recordOf } = useAdminTexts()
  const { entities } = useSession()
  const taker = useRecordNames(to === undefined ? [] : [{ entity: 'user', id: to }], entities)
  return (
    <div className="admin-stack">
      <div role="status">
        {left !== undefined && <p>{texts.left(left)}</p>}
        {items.length > 0 && (
          <>
            <p>{texts.handedOver(taker?.get(`user/${to}`) ?? '')}</p>
            <WorkList items={items} />
          </>
        )}
      </div>
      {kept.length > 0 && (
        <>
          <p>{texts.kept}</p>
          <ul className="admin-list">
            {kept.map(({ entity, id, task_id: task, detail }) => (
              <li key={`${entity} ${id} ${task} ${detail}`}>
                <Link to="/$entity/$id" params={{ entity, id: `${id}` }} dir="auto">
                  {recordOf(entities.get(entity)?.name ?? entity, id)}
                </Link>{' '}
                <span dir="auto">{detail}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <DialogEnd onClose={onClose} />
    </div>
  )
}
