/** Notifications of the user: an item of the list, the open one, and marking them as read. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { send } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import { previewQuery } from '../../api/record.ts'
import type { Entity, Notification } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { hashOf } from '../comments/threads.ts'
import { formatMoment } from '../format/format-value.ts'
import { RecordFacts } from '../preview/record-facts.tsx'
import { ExplainLink } from '../session/explain-link.tsx'
import { useReading, useSession } from '../session/session.ts'
import { pathsOf } from '../values/columns.ts'
import { factColumns } from '../values/main-columns.ts'
import { StepBadge } from '../workflow/step-badge.tsx'
import { SnoozeMenu } from './snooze.tsx'

type Mark = {
  readonly ids: readonly string[]
  readonly status: 'seen' | 'unseen'
  readonly before?: string
  /** Of the mark that is taken back. */
  readonly markedAt?: string
}

export const useMarks = () => {
  const client = useQueryClient()
  const [markedAt, setMarkedAt] = useState<string>()
  const { mutate, error } = useMutation({
    mutationFn: (body: Mark) => send('/api/notifications/mark', { method: 'PUT', body }),
    onSuccess: async ({ headers }, { ids, status }) => {
      const isAll = ids.length === 0 && status === 'seen'
      setMarkedAt(isAll ? (headers.get('X-Marked-At') ?? undefined) : undefined)
      await client.invalidateQueries({ queryKey: [userKey, 'inbox'] })
    },
  })
  return {
    mark: mutate,
    error,
    /** Takes back that all were read; a single one is marked as unread again by itself. */
    undoAll:
      markedAt === undefined ? undefined : () => mutate({ ids: [], status: 'unseen', markedAt }),
  }
}

type ItemProps = {
  readonly notification: Notification
  readonly isChosen: boolean
  readonly onOpen: () => void
}

export const NotificationItem = ({ notification, isChosen, onOpen }: ItemProps): ReactNode => {
  const inbox = useWorkTexts().inbox
  const reading = useReading()
  const { content, timestamp, seen, snoozed_until: until } = notification
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
        {until !== undefined && <span>{inbox.backOn(formatMoment(until, reading))}</span>}
      </span>
    </button>
  )
}

/** The way to what a notification is about: a comment on its record, or the record. */
export const wayTo = ({ content, entity_key: entity, entity_id: id }: Notification) => ({
  to: '/$entity/$id' as const,
  params: { entity, id: `${id}` },
  ...(content.comment_id !== undefined && { hash: hashOf(content.comment_id) }),
})

type DetailProps = {
  readonly notification: Notification
  readonly onUnread: () => void
  /** Given ISO text, or null to end the snooze. */
  readonly onSnooze: (until: string | null) => void
}

export const NotificationDetail = (props: DetailProps): ReactNode => {
  const { notification, onUnread, onSnooze } = props
  const inbox = useWorkTexts().inbox
  const { me, entities } = useSession()
  const reading = useReading()
  const { content, timestamp, entity_key: key, entity_id: id } = notification
  const entity = entities.get(key)
  return (
    <section className="work-detail" aria-label={inbox.notification}>
      <h2 dir="auto">{content.title}</h2>
      <p className="work-meta">
        <time dateTime={timestamp}>{formatMoment(timestamp, reading)}</time>
      </p>
      <p dir="auto" className="work-message">
        {content.message}
      </p>
      {entity && entity.permissions.read !== false && <About entity={entity} id={id} />}
      <div className="work-actions">
        <Link {...wayTo(notification)} className="button" data-look="primary">
          {content.comment_id === undefined ? inbox.openRecord : inbox.openComment}
        </Link>
        {notification.snoozed_until === undefined ? (
          <>
            <Button onClick={onUnread}>{inbox.markUnread}</Button>
            <SnoozeMenu onSnooze={onSnooze} />
          </>
        ) : (
          <Button onClick={() => onSnooze(null)}>{inbox.bringBack}</Button>
        )}
        <ExplainLink search={{ entity: key, record: id, user: me.id }}>{inbox.whyMe}</ExplainLink>
      </div>
    </section>
  )
}

/** The record as it is now, as far as the user may see it. */
const About = ({ entity, id }: { readonly entity: Entity; readonly id: number }): ReactNode => {
  const { entities } = useSession()
  const hasSteps = entity.fields.some(({ column }) => column === '_step')
  const facts = factColumns(entity, entities).flatMap(pathsOf)
  const paths = hasSteps ? [...facts, '_step'] : facts
  const { data } = useQuery(previewQuery(entity, id, paths))
  if (!data) return null
  return (
    <div className="work-about">
      <span className="work-note" dir="auto">
        {entity.name}
      </span>
      <span className="work-about-name">
        <strong dir="auto">{String(data[entity.displayField] ?? id)}</strong>
        {hasSteps && <StepBadge entity={entity} step={data._step} />}
      </span>
      <RecordFacts entity={entity} record={data} />
    </div>
  )
}
