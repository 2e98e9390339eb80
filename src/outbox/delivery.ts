/**
 * Deliveries in the database: a mailing is one rule applied to one event; a delivery is sent to one
 * recipient by one channel.
 */
import { type SignalChannel, sql } from '../database/sql.ts'
import { jobKind } from '../jobs/job.ts'

/**
 * Joins a delivery `d` with its stored notification `n`, if that is kept. A subquery for each row, which reads the one partition
 * of the id: a join of all rows could read all partitions.
 */
export const joinNotification = sql`
LEFT JOIN LATERAL (SELECT * FROM docket.notification n WHERE n._id = d.notification_id OFFSET 0) n ON true`

/** Codes of printable documents and names of functions, as in the rule. */
export type RequestedAttachments = {
  readonly printableDocuments: readonly string[]
  readonly documentFunctions: readonly string[]
}

export const deliveryStatuses = ['queued', 'sending', 'sent', 'failed', 'dead'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The channel on which sending processes learn that deliveries are due; its values are their numbers. */
export const queuedChannel: SignalChannel = {
  name: 'docket_delivery',
  payloadOf: (numbers) => (numbers.some((number) => Number(number) > 0) ? '' : undefined),
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
