/** The columns of deliveries, with recipient, subject and status, and their filters. */
import { type ReactNode, useId } from 'react'
import type { Delivery, DeliveryStatus } from '../../api/admin/queue.ts'
import { Button } from '../../parts/button.tsx'
import { Choice } from '../../parts/choice.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { type AdminTexts, useAdminTexts, useWorkTexts } from '../../texts/texts.ts'
import { SearchInput } from '../filter/search-input.tsx'
import { useSession } from '../session/session.ts'
import { deliveryChannels } from './admin-search.ts'
import { PersonInput } from './person-input.tsx'
import './administration.css'
import { Link } from '@tanstack/react-router'
import type { TableColumn } from '../../parts/data-table.tsx'
import { useAuthorName } from '../session/user-names.tsx'
import { ruleOf } from './explain-events.ts'
import type { FilterProps } from './queue-list.tsx'
import { whenOf } from './rule-words.ts'
import { errorColumn, Moment, statusColumn } from './work-table.tsx'

/** Whether a failed delivery may be sent again. */
export const mayRetry = (status: DeliveryStatus): boolean =>
  status === 'failed' || status === 'dead'

export const DeliveryFilters = ({ filter, onChange }: FilterProps): ReactNode => {
  const { deliveries: texts } = useAdminTexts()
  const { channels } = useWorkTexts().recipients
  const recipient = useId()
  const { user, ...rest } = filter
  return (
    <div className="admin-fields">
      <SearchInput
        label={texts.find}
        words={filter.q ?? ''}
        onWords={(q) => onChange({ ...filter, q: q === '' ? undefined : q })}
      />
      <label>
        {texts.channel}
        <Choice
          value={filter.channel}
          none={texts.allChannels}
          options={deliveryChannels.map((channel) => [channel, channels[channel]])}
          onChange={(value) =>
            onChange({ ...filter, channel: deliveryChannels.find((one) => one === value) })
          }
        />
      </label>
      <EntityFilter filter={filter} onChange={onChange} />
      <div>
        <label htmlFor={recipient}>{texts.recipient}</label>
        <PersonInput
          id={recipient}
          userId={user}
          onChange={(id) => onChange(id === undefined ? rest : { ...rest, user: id })}
        />
      </div>
    </div>
  )
}

/** Entities that notify; with a record of one the record alone, until it is taken away. */
const EntityFilter = ({ filter, onChange }: FilterProps): ReactNode => {
  const { deliveries: texts, recordOf, removeFilter, record: recordLabel } = useAdminTexts()
  const { entities } = useSession()
  const { entity = '', record, ...rest } = filter
  if (record !== undefined) {
    const name = recordOf(entities.get(entity)?.name ?? entity, record)
    return (
      <Button
        aria-label={removeFilter(`${recordLabel}: ${name}`)}
        onClick={() => onChange({ ...rest })}
      >
        <span dir="auto">{name}</span> {closeIcon}
      </Button>
    )
  }
  const notifying = [...entities.values()].filter(
    ({ key, notifications = [] }) => notifications.length > 0 || key === entity,
  )
  return (
    <label>
      {texts.entity}
      <Choice
        value={entity}
        none={texts.allEntities}
        options={notifying.map(({ key, name }) => [key, name])}
        onChange={(chosen) => onChange(chosen === undefined ? rest : { ...rest, entity: chosen })}
      />
    </label>
  )
}

export const deliveryColumns = (all: AdminTexts): readonly TableColumn<Delivery>[] => {
  const { deliveries: texts, tries } = all
  return [
    { key: 'to', label: texts.to, isWide: true, render: (one) => <Recipient delivery={one} /> },
    {
      key: 'subject',
      label: texts.subject,
      isWide: true,
      render: ({ id, subject }) => (
        <Link to="/-/admin/deliveries/$id" params={{ id: `${id}` }} dir="auto">
          {subject || texts.noSubject}
        </Link>
      ),
    },
    { key: 'entry', label: texts.entry, render: (one) => <Cause delivery={one} /> },
    statusColumn(all, texts.statuses),
    { key: 'tries', label: tries, isNumeric: true, render: (one) => one.tries },
    { key: 'when', label: texts.when, render: (one) => <When delivery={one} /> },
    errorColumn(all),
  ]
}

type RowProps = { readonly delivery: Delivery }

const Recipient = ({ delivery: { address, user, channel } }: RowProps): ReactNode => (
  <span className="admin-two">
    <bdi>{address ?? user.full_name ?? user.id}</bdi>
    {channel === 'email' && user.full_name !== null && <small dir="auto">{user.full_name}</small>}
  </span>
)

/** The record, what happened to it, and by whom. */
export const Cause = ({ delivery }: RowProps): ReactNode => {
  const texts = useAdminTexts()
  const { entities } = useSession()
  const authorName = useAuthorName()
  const { entity_key: entity, entity_id: id, operation, by, acting_user: acting } = delivery
  const definition = entities.get(entity)
  const rule = definition && ruleOf(delivery, definition)
  return (
    <span className="admin-two">
      <Link to="/$entity/$id" params={{ entity, id: `${id}` }} dir="auto">
        {texts.recordOf(definition?.name ?? entity, id)}
      </Link>
      <small dir="auto">
        {rule ? whenOf(rule, definition, texts) : texts.deliveries.operations[operation]}
      </small>
      {by && <small dir="auto">{authorName(by, acting)}</small>}
    </span>
  )
}

const When = ({ delivery }: RowProps): ReactNode => {
  const { deliveries: texts } = useAdminTexts()
  const { sent_at: sentAt, next_try_at: nextTryAt } = delivery
  const at = sentAt ?? nextTryAt
  if (at === null) return null
  return (
    <span className="admin-two">
      <Moment at={at} />
      {sentAt === null && <small>{texts.nextTry}</small>}
    </span>
  )
}
