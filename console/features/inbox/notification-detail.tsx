/** A notification that is open: what it says, when it came, and the record that it is about. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { previewQuery } from '../../api/record.ts'
import type { Entity, Notification } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { RecordFacts } from '../preview/record-facts.tsx'
import { ExplainLink } from '../session/explain-link.tsx'
import { useReading, useSession } from '../session/session.ts'
import { pathsOf } from '../values/columns.ts'
import { factColumns } from '../values/main-columns.ts'
import { StepBadge } from '../workflow/step-badge.tsx'

type DetailProps = { readonly notification: Notification; readonly onUnread: () => void }

export const NotificationDetail = ({ notification, onUnread }: DetailProps): ReactNode => {
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
        <Link
          to="/$entity/$id"
          params={{ entity: key, id: `${id}` }}
          className="button"
          data-look="primary"
        >
          {inbox.openRecord}
        </Link>
        <Button onClick={onUnread}>{inbox.markUnread}</Button>
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
