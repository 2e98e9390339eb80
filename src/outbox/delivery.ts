/**
 * Deliveries in the database: a mailing is one rule applied to one event; a delivery is sent to one
 * recipient by one channel.
 */
import { int, sql, text, texts } from '../database/sql.ts'
import { changingOperations, commentOperations } from '../definitions/operations.ts'
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import { jobKind } from '../jobs/job.ts'
import { type Queue, queueChannel } from '../jobs/queue.ts'

/**
 * Joins a delivery `d` with its stored notification `n`, if that is kept. A subquery for each row, which reads the one partition
 * of the id: a join of all rows could read all partitions.
 */
export const joinNotification = sql`
LEFT JOIN LATERAL (SELECT * FROM docket.notification n WHERE n._id = d.notification_id OFFSET 0) n ON true`

/**
 * Whether a mailing `m` of a record is about an entry `h` of its history of the same time, which may be rounded to another millisecond.
 * One that an earlier version has stored does not say which: rules of changes tell of each that changes fields, and those of comments
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

/** The channel on which sending processes learn that deliveries are due. */
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

/** A delivery has nothing to send: it is removed already. */
export class NothingToSend extends Error {
  override name = 'NothingToSend'
}

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
