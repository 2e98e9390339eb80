/** People for whom the issuer vouches and who are no users: each is linked to the user with their e-mail. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import {
  linkSubject,
  type RefusedSignIn,
  refusedKey,
  refusedSignInsQuery,
} from '../../api/admin/accounts.ts'
import { userKey } from '../../api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { Failure, Moment } from './work-table.tsx'

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
