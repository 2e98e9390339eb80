/** The users: who may sign in and how, with which roles, who was invited, and who was refused. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type AccountFilter, accountsQuery } from '../../api/admin/accounts.ts'
import { sessionQuery } from '../../api/own/session.ts'
import { AccountFilters, AccountTable } from '../../features/administration/accounts.tsx'
import { parseAccountSearch } from '../../features/administration/admin-search.ts'
import { Invitations } from '../../features/administration/invitations.tsx'
import { InviteButton } from '../../features/administration/invite.tsx'
import { MoreRows } from '../../features/administration/queue-list.tsx'
import { RefusedSignIns } from '../../features/administration/refused-sign-ins.tsx'
import { AllWindows } from '../../features/session/acting-user.tsx'
import { mayInvite } from '../../features/session/may-invite.ts'
import { PageHeading } from '../../features/session/page-title.tsx'
import { useSession } from '../../features/session/session.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import './admin.css'

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
