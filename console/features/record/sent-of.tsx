/** Who was sent what because of an entry of the history, and when; for administrators. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { sentAboutQuery } from '../../api/admin/told.ts'
import { useAdminTexts } from '../../texts/admin/texts.ts'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'
import './sent-of.css'

type SentProps = { readonly entity: string; readonly record: number; readonly entryId: number }

// All others are on the page of deliveries.
const mostShown = 3

export const SentOf = ({ entity, record, entryId }: SentProps): ReactNode => {
  const { deliveries: texts, explain } = useAdminTexts()
  const recordPage = useRecordPageTexts()
  const reading = useReading()
  const { data } = useQuery(sentAboutQuery(entity, record))
  const sent = data?.get(entryId) ?? []
  if (sent.length === 0) return null
  const rest = sent.length - mostShown
  return (
    <ul className="sent-of" aria-label={explain.sent}>
      {sent.slice(0, mostShown).map((one) => (
        <li key={one.id} data-status={one.status}>
          <span dir="auto">{one.user.full_name ?? one.address}</span>
          <Link to="/-/admin/deliveries/$id" params={{ id: `${one.id}` }} dir="auto">
            {one.subject || texts.noSubject}
          </Link>
          <span>
            {texts.channels[one.channel]} · {texts.statuses[one.status]}
            {one.sent_at !== null && ` ${formatMoment(one.sent_at, reading)}`}
          </span>
        </li>
      ))}
      {rest > 0 && (
        <li>
          <Link to="/-/admin/deliveries" search={{ entity, record }}>
            {recordPage.andMore(rest)}
          </Link>
        </li>
      )}
    </ul>
  )
}
