/** The way to what waits for the user, with the numbers of the service: in the navigation, and at the bottom of a phone. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { taskCountsQuery } from '../api/own/task-counts.ts'
import { approvalCountQuery, unseenQuery } from '../api/queries.ts'
import { openSearch } from '../features/search/palette.tsx'
import { usePages } from '../features/session/pages.ts'
import { mayDecide, useReading, useSession } from '../features/session/session.ts'
import { useTexts } from '../texts/texts.ts'
import './shell.css'

type Waiting = { readonly count: number; readonly isMore?: boolean; readonly note?: string }

/** What waits on each page, by its address; of tasks only those that are overdue. */
const useWaiting = (): Readonly<Record<string, Waiting>> => {
  const hasApprovals = mayDecide(useSession())
  const { tasks: texts } = useTexts()
  const { timeZone } = useReading()
  const unseen = useQuery(unseenQuery)
  const approvals = useQuery({ ...approvalCountQuery, enabled: hasApprovals })
  const tasks = useQuery(taskCountsQuery(timeZone))
  return {
    '/-/inbox': { count: unseen.data ?? 0 },
    '/-/approvals': {
      count: approvals.data?.count ?? 0,
      isMore: approvals.data?.isCapped ?? false,
    },
    '/-/tasks': { count: tasks.data?.overdue ?? 0, note: texts.overdue },
  }
}

export const WorkLinks = ({ onFollow }: { readonly onFollow: () => void }): ReactNode => {
  const pages = usePages('work')
  const waiting = useWaiting()
  return (
    <ul>
      {pages.map(({ to, label }) => (
        <li key={to}>
          <Link
            to={to}
            onClick={onFollow}
            activeOptions={{ exact: true }}
            activeProps={{ 'aria-current': 'page' }}
          >
            {label} <Count {...waiting[to]} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

const Count = ({ count = 0, isMore = false, note }: Partial<Waiting>): ReactNode =>
  count === 0 ? null : (
    <span className="shell-count">
      {isMore ? `${count}+` : count}
      {note !== undefined && <span className="visually-hidden"> {note}</span>}
    </span>
  )

// As many as a phone has room for next to the search.
const shownPages = 3

export const BottomBar = (): ReactNode => {
  const { navigation } = useTexts()
  const pages = usePages('work').slice(0, shownPages)
  const waiting = useWaiting()
  return (
    <nav className="bottom-bar" aria-label={navigation.short}>
      {pages.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true }}
          activeProps={{ 'aria-current': 'page' }}
        >
          <span>{label}</span> <Count {...waiting[to]} />
        </Link>
      ))}
      <button type="button" onClick={openSearch}>
        <span>{navigation.search}</span>
      </button>
    </nav>
  )
}
