/** The table of accounts: who they are, with which roles, how they sign in, and when they were last seen; and its filters. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Account, AccountFilter } from '../../api/admin/accounts.ts'
import { Choice } from '../../parts/choice.tsx'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { SearchInput } from '../filter/search-input.tsx'
import { useReading, useSession } from '../session/session.ts'
import { AccountActions } from './account-actions.tsx'
import { accountStatuses } from './admin-search.ts'
import { useRoles } from './role-rights.tsx'
import { Moment, StatusBadge } from './work-table.tsx'

export const AccountTable = ({ rows }: { readonly rows: readonly Account[] }): ReactNode => {
  const texts = useAdminTexts()
  const { roles, accounts } = texts
  const columns: readonly TableColumn<Account>[] = [
    {
      key: 'name',
      label: roles.user,
      isWide: true,
      render: ({ id, full_name: name, email }) => (
        <span className="admin-two">
          <Link to="/$entity/$id" params={{ entity: 'user', id: `${id}` }} dir="auto">
            {name}
          </Link>
          <small>
            <bdi>{email}</bdi>
          </small>
        </span>
      ),
    },
    { key: 'roles', label: accounts.roles, render: (one) => <RolesAndGroups account={one} /> },
    { key: 'ways', label: accounts.signIn, render: (one) => <Ways account={one} /> },
    { key: 'status', label: texts.status, render: (one) => <AccountStatus account={one} /> },
    { key: 'actions', label: roles.actions, render: (one) => <AccountActions account={one} /> },
  ]
  return <DataTable label={accounts.title} columns={columns} rows={rows} keyOf={({ id }) => id} />
}

type Props = { readonly account: Account }

const RolesAndGroups = ({ account: { roles, groups } }: Props): ReactNode => {
  const { accounts: texts } = useAdminTexts()
  return (
    <span className="admin-two">
      <span dir="auto">{roles.map(({ name }) => name).join(', ') || texts.noRole}</span>
      {groups.length > 0 && (
        <small dir="auto">{texts.groups(groups.map(({ name }) => name).join(', '))}</small>
      )}
    </span>
  )
}

/** Without an issuer, a subject of one lets nobody in. */
const useWays = ({ ways }: Account): Account['ways'] => {
  const { signIn } = useSession().config
  return ways.filter((way) => way !== 'issuer' || signIn !== 'keys')
}

const Ways = ({ account }: Props): ReactNode => {
  const { accounts: texts } = useAdminTexts()
  const { has_second_factor: hasApp, last_seen_at: seen } = account
  const ways = useWays(account).map((way) =>
    way === 'password' && hasApp ? texts.passwordAndApp : texts.ways[way],
  )
  return (
    <span className="admin-two">
      <span>{ways.join(', ') || (account.is_active ? texts.noWay : texts.noWayLeft)}</span>
      <small>
        {seen === null ? (
          texts.neverSeen
        ) : (
          <>
            {texts.lastSeen} <Moment at={seen} />
          </>
        )}
      </small>
    </span>
  )
}

const AccountStatus = ({ account }: Props): ReactNode => {
  const { roles: texts, accounts } = useAdminTexts()
  if (account.is_blocked) return <StatusBadge status="dead" label={texts.blocked} />
  if (!account.is_active) return <StatusBadge status="failed" label={texts.inactive} />
  if (account.is_invited) return <StatusBadge status="queued" label={accounts.invited} />
  return <StatusBadge status="sent" label={texts.active} />
}

type FilterProps = {
  readonly filter: AccountFilter
  readonly counts: Readonly<Record<string, number>> | undefined
  readonly onChange: (filter: AccountFilter) => void
}

export const AccountFilters = ({ filter, counts, onChange }: FilterProps): ReactNode => {
  const texts = useAdminTexts()
  const known = useRoles() ?? []
  const { format } = new Intl.NumberFormat(useReading().locale)
  const labels = {
    active: texts.roles.active,
    invited: texts.accounts.invited,
    blocked: texts.roles.blocked,
    inactive: texts.roles.inactive,
  }
  const { role } = filter
  // An address may name a role that has no file any more.
  const offered =
    role === undefined || known.some(({ key }) => key === role)
      ? known
      : [...known, { key: role, name: role }]
  const countOf = (name: string) => (counts ? format(counts[name] ?? 0) : '')
  return (
    <>
      <div className="admin-fields">
        <SearchInput
          label={texts.accounts.find}
          words={filter.q ?? ''}
          onWords={(q) => onChange({ ...filter, q: q === '' ? undefined : q })}
        />
        <label>
          {texts.roles.role}
          <Choice
            value={role}
            none={texts.accounts.allRoles}
            options={offered.map(({ key, name }) => [key, name])}
            onChange={(chosen) => onChange({ ...filter, role: chosen })}
          />
        </label>
      </div>
      <div className="admin-tabs">
        <Tabs
          label={texts.status}
          value={filter.status ?? 'all'}
          tabs={(['all', ...accountStatuses] as const).map((value) => ({
            value,
            label: `${value === 'all' ? texts.all : labels[value]} ${countOf(value)}`.trim(),
          }))}
          onChange={(status) =>
            onChange({ ...filter, status: status === 'all' ? undefined : status })
          }
        />
      </div>
    </>
  )
}
