/** One delivery: how it stands, why it failed, and what was sent. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  type Delivery as DeliveryData,
  deliveryQuery,
  deliveryQueue,
} from '../../api/admin/queue.ts'
import { Cause, mayRetry } from '../../features/administration/deliveries.tsx'
import { eventOfRule, ruleOf } from '../../features/administration/explain-events.ts'
import { Attachments, MessageView } from '../../features/administration/message.tsx'
import { Moment, StatusBadge, useRetry } from '../../features/administration/work-table.tsx'
import { ExplainLink } from '../../features/session/explain-link.tsx'
import { PageHeading, PageTitle } from '../../features/session/page-title.tsx'
import { useSession } from '../../features/session/session.ts'
import { Button } from '../../parts/button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts, useWorkTexts } from '../../texts/texts.ts'
import { NotFound } from '../not-found.tsx'
import './admin.css'

export const Delivery = (): ReactNode => {
  const { id: text } = useParams({ from: '/-/admin/deliveries/$id' })
  const id = Number(text)
  return Number.isSafeInteger(id) && id > 0 ? <One key={id} id={id} /> : <NotFound />
}

const One = ({ id }: { readonly id: number }): ReactNode => {
  const { deliveries } = useAdminTexts()
  const delivery = useQuery(deliveryQuery(id))
  if (delivery.data) return <Page delivery={delivery.data} />
  if (!delivery.error) return <Waiting />
  return (
    <>
      <PageTitle of={[deliveries.title]} />
      <ProblemNote error={delivery.error} />
    </>
  )
}

type PageProps = { readonly delivery: DeliveryData }

const Page = ({ delivery }: PageProps): ReactNode => {
  const texts = useAdminTexts()
  const { subject, status, last_error: error, attachments } = delivery
  return (
    <div className="admin-page">
      <header className="admin-head">
        <Link to="/-/admin/deliveries">{texts.deliveries.back}</Link>
        <div className="admin-row">
          <PageHeading
            title={subject || texts.deliveries.noSubject}
            within={texts.deliveries.title}
          />
          <Why delivery={delivery} />
          {mayRetry(status) && <SendAgain delivery={delivery} />}
        </div>
      </header>
      <div className="admin-body">
        <div className="admin-sections">
          {error !== null && status !== 'sent' && (
            <p className="admin-alert" dir="auto">
              {error}
            </p>
          )}
          <DeliveryFacts delivery={delivery} />
          {attachments.length > 0 && (
            <section>
              <h2>{texts.deliveries.attachments}</h2>
              <Attachments delivery={delivery} />
            </section>
          )}
          <section>
            <h2>{texts.deliveries.message}</h2>
            <MessageView delivery={delivery} />
          </section>
        </div>
      </div>
    </div>
  )
}

/** Links to the explanation of the notification for this recipient. */
const Why = ({ delivery }: PageProps): ReactNode => {
  const { explain } = useAdminTexts()
  const { entities } = useSession()
  const { entity_key: key, entity_id: record, user } = delivery
  const entity = entities.get(key)
  const rule = entity && ruleOf(delivery, entity)
  const event = rule && entity ? eventOfRule(rule, entity) : {}
  return (
    <ExplainLink search={{ entity: key, record, ...event, user: user.id }}>
      {explain.link}
    </ExplainLink>
  )
}

const DeliveryFacts = ({ delivery }: PageProps): ReactNode => {
  const texts = useAdminTexts()
  const { deliveries } = texts
  const { channels } = useWorkTexts().recipients
  const { status, user, address, channel, tries } = delivery
  const moment = (at: string | null) => at !== null && <Moment at={at} />
  return (
    <Facts
      facts={[
        {
          label: texts.status,
          value: <StatusBadge status={status} label={deliveries.statuses[status]} />,
        },
        { label: deliveries.to, value: <bdi>{address}</bdi> },
        {
          label: deliveries.recipient,
          value: (
            <Link to="/$entity/$id" params={{ entity: 'user', id: `${user.id}` }}>
              {user.full_name ?? user.id}
            </Link>
          ),
        },
        { label: deliveries.entry, value: <Cause delivery={delivery} /> },
        { label: deliveries.channel, value: channels[channel] },
        { label: texts.tries, value: tries },
        { label: texts.created, value: moment(delivery.created_at) },
        { label: deliveries.nextTry, value: moment(delivery.next_try_at) },
        { label: deliveries.sent, value: moment(delivery.sent_at) },
      ]}
    />
  )
}

const SendAgain = ({ delivery }: PageProps): ReactNode => {
  const texts = useAdminTexts()
  const retry = useRetry(deliveryQueue.retry, deliveryQueue.key, () => undefined)
  return (
    <>
      {retry.error && (
        <p role="alert" className="admin-alert">
          {retry.error.message}
        </p>
      )}
      <Button
        look="primary"
        disabled={retry.isPending}
        onClick={() => retry.mutate({ ids: [delivery.id] })}
      >
        {texts.again}
      </Button>
    </>
  )
}
