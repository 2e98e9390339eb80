/** The way to what waits for the user, with the numbers of the service. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { taskCountsQuery } from '../api/own/task-counts.ts'
import { approvalCountQuery, unseenQuery } from '../api/queries.ts'
import { type OwnPage, useOwnPages } from '../features/session/own-pages.ts'
import { useReading } from '../features/session/session.ts'
import { useTexts } from '../texts/texts.ts'

type Waiting = { readonly count: number; readonly isMore?: boolean; readonly note?: string }

/** What waits on each page; of tasks only what is too late. */
export const useWaiting = (): Partial<Record<OwnPage['key'], Waiting>> => {
  const hasApprovals = useOwnPages().some(({ key }) => key === 'approvals')
  const { tasks: texts } = useTexts()
  const { timeZone } = useReading()
  const unseen = useQuery(unseenQuery)
  const approvals = useQuery({ ...approvalCountQuery, enabled: hasApprovals })
  const tasks = useQuery(taskCountsQuery(timeZone))
  return {
    inbox: { count: unseen.data ?? 0 },
    approvals: { count: approvals.data?.count ?? 0, isMore: approvals.data?.isCapped ?? false },
    tasks: { count: tasks.data?.overdue ?? 0, note: texts.overdue },
  }
}

// What is no work, but about the user.
const inUserMenu: ReadonlySet<OwnPage['key']> = new Set(['changes', 'settings'])

export const WorkLinks = ({ onFollow }: { readonly onFollow: () => void }): ReactNode => {
  const pages = useOwnPages()
  const waiting = useWaiting()
  return (
    <ul>
      {pages
        .filter(({ key }) => !inUserMenu.has(key))
        .map(({ key, to, label }) => (
          <li key={key}>
            <Link
              to={to}
              onClick={onFollow}
              activeOptions={{ exact: true }}
              activeProps={{ 'aria-current': 'page' }}
            >
              {label} <Count {...waiting[key]} />
            </Link>
          </li>
        ))}
    </ul>
  )
}

export const Count = ({ count = 0, isMore = false, note }: Partial<Waiting>): ReactNode =>
  count === 0 ? null : (
    <span className="shell-count">
      {isMore ? `${count}+` : count}
      {note !== undefined && <span className="visually-hidden"> {note}</span>}
    </span>
  )
