/**
 * Deliveries in the database: a mailing is one rule applied to one event; a delivery is sent to one
 * recipient by one channel.
 */
import { int, raw, type Sql, sql, text, texts } from '../database/sql.ts'
import { changingOperations } from '../definitions/operations.ts'
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import { jobKind } from '../jobs/job.ts'
import { type Queue, queueChannel } from '../jobs/queue.ts'

/**
 * Joins a delivery `d` with its stored notification `n`, if that is kept. A subquery for each row, which reads the one partition
 * of the id: a join of all rows could read all partitions.
 */
export const joinNotification = sql`
LEFT JOIN LATERAL (SELECT * FROM docket.notification n WHERE n._id = d.notification_id OFFSET 0) n ON true`

/** Whether a mailing `m` may be about an entry with this operation: rules of changes tell of each that changes fields. */
export const isToldAs = (operation: string): Sql => {
  const ofEntry = raw(operation)
  const changes = sql`m.operation = 'change' AND ${ofEntry} = ANY (${texts(changingOperations)})`
  return sql`(m.operation = ${ofEntry} OR (${changes}))`
}

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
