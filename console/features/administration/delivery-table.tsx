/** Deliveries in rows: to whom, what, and how it stands. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Delivery } from '../../api/admin/deliveries.ts'
import { DataTable, type TableColumn, type TableSelection } from '../../parts/data-table.tsx'
import { type AdminTexts, useAdminTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import { useAuthorName } from '../session/use-author-name.ts'
import { ruleOf } from './explain-events.ts'
import { Moment } from './moment.tsx'
import { whenOf } from './rule-words.ts'
import { errorColumn, statusColumn } from './work-columns.tsx'

type TableProps = {
  readonly deliveries: readonly Delivery[]
  readonly selection: TableSelection<Delivery>
}

export const DeliveryTable = ({ deliveries, selection }: TableProps): ReactNode => {
  const texts = useAdminTexts()
  return (
    <DataTable
      label={texts.deliveries.title}
      columns={columnsOf(texts)}
      rows={deliveries}
      keyOf={({ id }) => id}
      selection={selection}
    />
  )
}

const columnsOf = (all: AdminTexts): readonly TableColumn<Delivery>[] => {
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
