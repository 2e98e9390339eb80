/** The users: who may sign in and how, with which roles, who was invited, and who was refused. */
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  type AccountFilter,
  accountsQuery,
  linkSubject,
  type RefusedSignIn,
  refusedKey,
  refusedSignInsQuery,
} from '../../api/admin/accounts.ts'
import { sessionQuery } from '../../api/own/session.ts'
import { AccountFilters, AccountTable } from '../../features/administration/accounts.tsx'
import { parseAccountSearch } from '../../features/administration/admin-search.ts'
import { Invitations } from '../../features/administration/invitations.tsx'
import { InviteButton } from '../../features/administration/invite.tsx'
import { MoreRows } from '../../features/administration/queue-list.tsx'
import { AllWindows } from '../../features/session/acting-user.tsx'
import { PageHeading } from '../../features/session/page-title.tsx'
import { mayInvite, useSession } from '../../features/session/session.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import './admin.css'
import { userKey } from '../../api/queries.ts'
import { Failure, Moment } from '../../features/administration/work-table.tsx'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'

const from = '/-/admin/users'

export const Users = (): ReactNode => {
  const { accounts: texts } = useAdminTexts()
  const { config } = useSession()
  const navigate = useNavigate({ from })
  // The router leaves in the address what is of no use.
  const filter = parseAccountSearch(useSearch({ from }))
  const list = useAccounts(filter)
  const session = useQuery(sessionQuery)
  const show = (search: AccountFilter) => void navigate({ search, replace: true })
  return (
    <div className="admin-page">
      <header className="admin-head">
        <div className="admin-row">
          <PageHeading title={texts.title} />
          <Link to="/$entity" params={{ entity: 'user' }}>
            {texts.asList}
          </Link>
          <InviteButton role={filter.role} />
        </div>
        <AccountFilters filter={filter} counts={list.data?.pages[0]?.counts} onChange={show} />
      </header>
      <div className="admin-body">
        <Rows list={list} isFiltered={Object.keys(filter).length > 0} onAll={() => show({})} />
        <MoreRows list={list} />
        <div className="admin-panel">
          {/* Its texts are no texts of this page, which would be hidden until they are there. */}
          {session.data?.users && <AllWindows />}
          {mayInvite(config) && <Invitations />}
          <RefusedSignIns />
        </div>
      </div>
    </div>
  )
}

type RowsProps = {
  readonly list: ReturnType<typeof useAccounts>
  readonly isFiltered: boolean
  readonly onAll: () => void
}

const useAccounts = (filter: AccountFilter) => useInfiniteQuery(accountsQuery(filter))

const Rows = ({ list, isFiltered, onAll }: RowsProps): ReactNode => {
  const { accounts: texts, showAll } = useAdminTexts()
  if (!list.data) return list.error ? <ProblemNote error={list.error} /> : <Waiting />
  const rows = list.data.pages.flatMap(({ data }) => [...data])
  if (rows.length > 0) return <AccountTable rows={rows} />
  return (
    <EmptyNote title={texts.nobody}>
      {isFiltered && <Button onClick={onAll}>{showAll}</Button>}
    </EmptyNote>
  )
}

/** People for whom the issuer vouches and who are no users: each is linked to the user with their e-mail. */
const RefusedSignIns = (): ReactNode => {
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
