/** The invitations that are open, each of which can be revoked. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  invitationsQuery,
  type OpenInvitation,
  revokeInvitation,
  usersKey,
} from '../../api/admin/invitations.ts'
import { Button } from '../../parts/button.tsx'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { Failure, Moment } from './work-table.tsx'

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
