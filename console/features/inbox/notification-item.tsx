/** A notification in the list of the inbox. */
import type { ReactNode } from 'react'
import type { Notification } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'

type ItemProps = {
  readonly notification: Notification
  readonly isChosen: boolean
  readonly onOpen: () => void
}

export const NotificationItem = ({ notification, isChosen, onOpen }: ItemProps): ReactNode => {
  const inbox = useWorkTexts().inbox
  const reading = useReading()
  const { content, timestamp, seen } = notification
  return (
    <button
      type="button"
      className="work-item"
      aria-current={isChosen || undefined}
      onClick={onOpen}
    >
      <span className="work-title" data-unread={!seen || undefined} dir="auto">
        {!seen && <span className="visually-hidden">{inbox.unreadMark} </span>}
        {content.title}
      </span>
      <span className="work-note" dir="auto">
        {content.message}
      </span>
      <span className="work-meta">
        <time dateTime={timestamp}>{formatMoment(timestamp, reading)}</time>
        {content.due_date && <span>{inbox.due(content.due_date)}</span>}
      </span>
    </button>
  )
}
