/** Who has a role: each may be blocked, and during development seen as. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { setBlocked, usersOfRoleQuery } from '../../api/admin/roles.ts'
import { sessionQuery } from '../../api/own/session.ts'
import { userKey } from '../../api/queries.ts'
import type { RecordRow } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { AllWindows } from '../session/all-windows.tsx'
import { useSession } from '../session/session.ts'
import { useBecome } from '../session/use-become.ts'
import { StatusBadge } from './status-badge.tsx'

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
  const { me, entities } = useSession()
  const client = useQueryClient()
  const isBlocked = user.is_blocked === true
  const block = useMutation({
    mutationFn: () => setBlocked({ id: user.id, version: user._version, isBlocked: !isBlocked }),
    onSettled: () => client.invalidateQueries({ queryKey: [userKey, 'list', 'user'] }),
  })
  const mayBlock = entities.get('user')?.permissions.update === true && user.id !== me.id
  return (
    <span className="admin-row">
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

const Failure = ({ error }: { readonly error: Error | null }): ReactNode =>
  error && (
    <span role="alert" className="admin-error">
      {error.message}
    </span>
  )

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
