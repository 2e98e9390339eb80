/** What was really sent about a record, to anybody or to one person: the latest deliveries. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type DeliveryFilter, deliveriesQuery } from '../../api/admin/deliveries.ts'
import { ProblemNote } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { StaleNote } from '../session/stale-note.tsx'
import { Moment } from './moment.tsx'
import { StatusBadge } from './status-badge.tsx'
import { useUserName } from './use-user-name.ts'

type SentProps = {
  readonly entity: string
  readonly record: number
  readonly user: number | undefined
}

const mostShown = 8

export const SentAbout = ({ entity, record, user }: SentProps): ReactNode => {
  const { explain: texts, deliveries } = useAdminTexts()
  const filter: DeliveryFilter = { entity, record, ...(user !== undefined && { user }) }
  const list = useInfiniteQuery(deliveriesQuery(filter))
  const rows = list.data?.pages.flat() ?? []
  const name = useUserName(user)
  const isAsked = user !== undefined
  const retry = () => void list.refetch()
  if (!list.data && !list.error) return null
  return (
    <section className="admin-stack">
      <h2 dir="auto">{isAsked ? texts.sentTo(name) : texts.sent}</h2>
      {list.data ? (
        <StaleNote error={list.error} onRetry={retry} />
      ) : (
        list.error && <ProblemNote error={list.error} onRetry={retry} />
      )}
      {list.data && rows.length === 0 && (
        <p className="admin-note" dir="auto">
          {isAsked ? texts.nothingSentTo(name) : texts.nothingSent}
        </p>
      )}
      <ul className="admin-list">
        {rows.slice(0, mostShown).map((one) => (
          <li key={one.id} className="admin-row">
            <StatusBadge status={one.status} label={deliveries.statuses[one.status]} />
            <Link to="/-/admin/deliveries/$id" params={{ id: `${one.id}` }} dir="auto">
              {one.subject || deliveries.noSubject}
            </Link>
            <span dir="auto">{one.user.full_name ?? one.address}</span>
            <small className="admin-note">
              <Moment at={one.sent_at ?? one.created_at} />
            </small>
          </li>
        ))}
      </ul>
      {rows.length > 0 && (
        <Link to="/-/admin/deliveries" search={filter}>
          {texts.allSent}
        </Link>
      )}
    </section>
  )
}
