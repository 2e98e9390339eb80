/**
 * Deliveries in the database: a mailing is one rule applied to one event; a delivery is sent to one
 * recipient by one channel.
 */
import { type Pool, queryOnce } from '../database/pool.ts'
import { int, isoTime, nothing, sql, table, text, texts } from '../database/sql.ts'
import { changingOperations, commentOperations } from '../definitions/operations.ts'
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import { jobKind } from '../jobs/job.ts'
import { type Queue, queueChannel, takenRows } from '../jobs/queue.ts'
import { type ChosenReading, chosenReading, joinChosen } from '../users/user-readings.ts'
import { userRoleKeys } from '../users/user-store.ts'
import type { EventData, SharedContent } from './events/notification-event.ts'

/**
 * Joins a delivery `d` with its stored notification `n`, if that is kept. A subquery for each row, which reads the one partition
 * of the id: a join of all rows could read all partitions.
 */
export const joinNotification = sql`
LEFT JOIN LATERAL (SELECT * FROM docket.notification n WHERE n._id = d.notification_id OFFSET 0) n ON true`

/**
 * Whether a mailing `m` of a record is about an entry `h` of its history of the same time, which may be rounded to another millisecond.
 * One that an earlier version has stored does not say which: rules of changes are about each that changes fields, and those of comments
 * of what was said.
 */
export const isOfEntry = sql`(
  CASE
    WHEN m.history_id <> 0 THEN m.history_id = h.id
    WHEN m.operation = ANY (${texts(commentOperations)})
      THEN h.part_key = 'comment' AND h.part_id::text = m.data ->> 'comment_id'
    ELSE m.operation = h.operation
      OR (m.operation = 'change' AND h.operation = ANY (${texts(changingOperations)}))
  END
)`

/** Codes of printable documents, names of functions, and fields of files, as in the rule. */
export type RequestedAttachments = {
  readonly printableDocuments: readonly string[]
  readonly documentFunctions: readonly string[]
  /** Missing in mailings that a version before fields of files has stored. */
  readonly files?: readonly string[]
}

export const deliveryStatuses = ['queued', 'sending', 'sent', 'failed', 'dead'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The channel that signals to sending processes that deliveries are due. */
export const queuedChannel = queueChannel('docket_delivery')

export const deliveryTable = sql`docket.delivery`

/** The deliveries of a channel. */
export const deliveryQueueOf = (channel: ChannelName, maxTries: number): Queue => ({
  table: deliveryTable,
  taken: sql`'sending'`,
  rows: sql`r.channel = ${text(channel)}`,
  maxTries: int(maxTries),
  channel: queuedChannel,
})

/** Creates the attachments of a mailing, and releases its deliveries. */
export const attachDocuments = jobKind<{ readonly mailing_id: number }>('email.attach')

/** The attachments for the audience of the recipient are not created yet. */
export class AttachmentsAwaited extends Error {
  override name = 'AttachmentsAwaited'
  readonly audience: string

  constructor(audience: string) {
    super('The attachments of this e-mail are not created yet.')
    this.audience = audience
  }
}

type Reason = {
  /** Whether the same may succeed later. */
  readonly retryable: boolean
  /** When the receiver said how long to wait. */
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** Why a receiver did not accept a delivery. The message is shown to operators and contains no secret. */
export class DeliveryError extends Error {
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined

  constructor(message: string, { retryable, retryAfterMs, cause }: Reason) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'DeliveryError'
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
  }
}

/** There is nothing to send any more: the delivery is removed. */
export class NothingToSend extends DeliveryError {
  override name = 'NothingToSend'

  constructor(message: string) {
    super(message, { retryable: false })
  }
}

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
