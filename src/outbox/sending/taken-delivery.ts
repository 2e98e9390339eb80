/** Takes deliveries from the queue, with all that sending them needs. */
import { type Pool, queryOnce } from '../../database/pool.ts'
import { isoTime, nothing, sql, table } from '../../database/sql.ts'
import { type Queue, takenRows } from '../../jobs/queue.ts'
import { type ChosenReading, chosenReading, joinChosen } from '../../users/user-readings.ts'
import { userRoleKeys } from '../../users/user-store.ts'
import { joinNotification } from '../delivery.ts'
import type { EventData, SharedContent } from '../events/notification-event.ts'

/** The data for sending one delivery. */
export type TakenDelivery = ChosenReading & {
  readonly id: number
  readonly mailing_id: number
  readonly event: string
  readonly entry: string
  readonly entity_key: string
  readonly entity_id: number
  readonly operation: string
  readonly template_id: string | null
  readonly data: EventData
  /** ISO 8601; null if the notification was removed meanwhile. */
  readonly notified_at: string | null
  /** The number of attempts, including this one. */
  readonly tries: number
  readonly user_id: number
  readonly notification_id: string
  /** The receiver, for channels that have several. */
  readonly target: string | null
  readonly address: string
  readonly full_name: string
  /** The current key of the recipient's role; empty if it was removed. */
  readonly role_key: string
  /** Whether the rule has attachments. */
  readonly has_documents: boolean
  /** Whether PDFs are among them, which are in the language of their readers. */
  readonly has_printed: boolean
  /** Of the job that queued it; null if the change was not traced. */
  readonly traceparent: string | null
  /** The JSON of templates that a webhook gets; null if it gets the usual one. */
  readonly webhook_body: Readonly<Record<string, unknown>> | null
  /** The audience of its attachments, as known when they were created. */
  readonly audience: string
  /** False if the recipient was blocked or removed meanwhile. */
  readonly is_active: boolean
  /** The stored notification; null if it was removed meanwhile. */
  readonly content: {
    readonly icon: string
    /** ISO 8601. */
    readonly due_at: string | null
    readonly title: string
    readonly message: string
    readonly has_comment?: boolean
    readonly url: string | null
  } | null
  /** What all recipients of the event read alike; null if it is sent to one of them. */
  readonly shared: SharedContent | null
}

/** Selects the data of deliveries `d`, which joinedParts completes. */
export const selectDelivery = sql`
SELECT d.id, d.mailing_id, m.event, m.entry, m.entity_key, m.entity_id, m.operation, m.template_id, m.data,
  d.tries, d.user_id, d.notification_id, d.target,
  coalesce(u.email, '') AS address, u.full_name, coalesce(${userRoleKeys}, '') AS role_key,
  json_array_length(m.wished->'printableDocuments')
    + json_array_length(m.wished->'documentFunctions')
    + coalesce(json_array_length(m.wished->'files'), 0) > 0 AS has_documents,
  json_array_length(m.wished->'printableDocuments') > 0 AS has_printed,
  d.audience, m.wished->>'traceparent' AS traceparent,
  CASE d.channel WHEN 'webhook' THEN m.wished->>'webhookBody' END AS webhook_body,
  u.is_active AND NOT u.is_blocked AND NOT u._is_deleted AS is_active,
  n.content, d.shared, ${chosenReading}, ${isoTime('n.timestamp')} AS notified_at`

export const joinedParts = sql`
JOIN docket.mailing m ON m.id = d.mailing_id
JOIN ${table('user')} u ON u.id = d.user_id
LEFT JOIN ${table('security_role')} r
  ON r.id = u.security_role_id AND NOT r._is_deleted${joinChosen(sql`d.user_id`)}${joinNotification}`

/** A delivery as PostgreSQL prints it. */
export type DeliveryRow = Record<JsonColumn, string> & Omit<TakenDelivery, JsonColumn>
type JsonColumn = 'data' | 'content' | 'shared' | 'webhook_body'

export const toDelivery = (row: DeliveryRow): TakenDelivery => ({
  ...row,
  data: JSON.parse(row.data),
  content: JSON.parse(row.content ?? 'null'),
  shared: JSON.parse(row.shared ?? 'null'),
  webhook_body: JSON.parse(row.webhook_body ?? 'null'),
})

/** Takes due deliveries, the longest due first. */
export const takeDeliveries = async (
  pool: Pool,
  queue: Queue,
  take: { readonly limit: number; readonly leaseSeconds: number },
): Promise<TakenDelivery[]> => {
  const rows = await queryOnce<DeliveryRow>(
    pool,
    sql`${takenRows(queue, { ...take, set: nothing })}
${selectDelivery}
FROM taken d${joinedParts}`,
  )
  return rows.map(toDelivery)
}
