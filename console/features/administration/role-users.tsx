/** Who has a role, and who was refused when signing in. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  linkSubject,
  type RefusedSignIn,
  refusedKey,
  refusedSignInsQuery,
  setBlocked,
  usersOfRoleQuery,
} from '../../api/admin/roles.ts'
import { sessionQuery } from '../../api/own/session.ts'
import { userKey } from '../../api/queries.ts'
import type { RecordRow } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { AllWindows, useBecome } from '../session/acting-user.tsx'
import { hasInvitations } from '../session/invitation.tsx'
import { useSession } from '../session/session.ts'
import { InviteUser } from './invitation-link.tsx'
import { Failure, Moment, StatusBadge } from './work-table.tsx'

export const RoleUsers = ({ role }: { readonly role: string }): ReactNode => {
  const { roles: texts, status } = useAdminTexts()
  const users = useQuery(usersOfRoleQuery(role))
  const session = useQuery(sessionQuery)
  if (users.error) return <ProblemNote error={users.error} />
  if (!users.data) return <Waiting />
  if (users.data.length === 0) return <p className="admin-note">{texts.nobody}</p>
  const columns: readonly TableColumn<RecordRow>[] = [
    {
      key: 'name',
      label: texts.user,
      isWide: true,
      render: ({ id, full_name: name, email }) => (
        <span className="admin-two">
          <Link to="/$entity/$id" params={{ entity: 'user', id: `${id}` }} dir="auto">
            {String(name ?? id)}
          </Link>
          <small>
            <bdi>{String(email ?? '')}</bdi>
          </small>
        </span>
      ),
    },
    { key: 'status', label: status, render: (user) => <UserStatus user={user} /> },
    { key: 'actions', label: texts.actions, render: (user) => <UserActions user={user} /> },
  ]
  return (
    <>
      <DataTable label={texts.whoHas} columns={columns} rows={users.data} keyOf={({ id }) => id} />
      {/* Its texts are no texts of this page, which would be hidden until they are there. */}
      {session.data?.users && <AllWindows />}
    </>
  )
}

type UserProps = { readonly user: RecordRow }

const UserStatus = ({ user }: UserProps): ReactNode => {
  const { roles: texts } = useAdminTexts()
  if (user.is_blocked === true) return <StatusBadge status="dead" label={texts.blocked} />
  if (user.is_active === false) return <StatusBadge status="failed" label={texts.inactive} />
  return <StatusBadge status="sent" label={texts.active} />
}

/** Nobody blocks themselves by a slip. */
const UserActions = ({ user }: UserProps): ReactNode => {
  const { roles: texts } = useAdminTexts()
  const { config, me, entities } = useSession()
  const client = useQueryClient()
  const isBlocked = user.is_blocked === true
  const block = useMutation({
    mutationFn: () => setBlocked({ id: user.id, version: user._version, isBlocked: !isBlocked }),
    onSettled: () => client.invalidateQueries({ queryKey: [userKey, 'list', 'user'] }),
  })
  const mayBlock = entities.get('user')?.permissions.update === true && user.id !== me.id
  const mayInvite = hasInvitations(config) && !isBlocked && user.is_active !== false
  return (
    <span className="admin-row">
      {mayInvite && <InviteUser user={{ id: user.id, name: String(user.full_name ?? user.id) }} />}
      {mayBlock && (
        <Button
          look={isBlocked ? 'plain' : 'danger'}
          disabled={block.isPending}
          onClick={() => block.mutate()}
        >
          {isBlocked ? texts.unblock : texts.block}
        </Button>
      )}
      <SeeAs userId={user.id} />
      <Failure error={block.error} />
    </span>
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

export const RefusedSignIns = (): ReactNode => {
  const { roles: texts } = useAdminTexts()
  const refused = useQuery(refusedSignInsQuery).data ?? []
  if (refused.length === 0) return null
  const columns: readonly TableColumn<RefusedSignIn>[] = [
    {
      key: 'person',
      label: texts.person,
      isWide: true,
      render: ({ subject, email, name, is_email_verified: isVerified }) => (
        <span className="admin-two">
          <bdi>{name ?? email ?? subject}</bdi>
          {email !== null && (
            <small>
              <bdi>{email}</bdi> ({isVerified ? texts.verified : texts.notVerified})
            </small>
          )}
          <small>
            <code>{subject}</code>
          </small>
        </span>
      ),
    },
    { key: 'last', label: texts.lastTried, render: ({ last_at: at }) => <Moment at={at} /> },
    { key: 'actions', label: texts.actions, render: (one) => <LinkToUser {...one} /> },
  ]
  return (
    <section className="admin-stack">
      <h2>{texts.refused}</h2>
      <p className="admin-note">{texts.refusedHelp}</p>
      <DataTable
        label={texts.refused}
        columns={columns}
        rows={refused}
        keyOf={({ subject }) => subject}
      />
    </section>
  )
}

const LinkToUser = ({ subject, user }: RefusedSignIn): ReactNode => {
  const { roles: texts } = useAdminTexts()
  const client = useQueryClient()
  const link = useMutation({
    mutationFn: linkSubject,
    onSuccess: () => client.invalidateQueries({ queryKey: [userKey] }),
    onSettled: () => client.invalidateQueries({ queryKey: refusedKey }),
  })
  if (!user) return texts.nobodyHasEmail
  return (
    <span className="admin-row">
      <Button disabled={link.isPending} onClick={() => link.mutate({ userId: user.id, subject })}>
        {texts.linkTo(user.full_name)}
      </Button>
      <Failure error={link.error} />
    </span>
  )
}
