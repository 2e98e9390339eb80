/**
 * Deliveries as the database keeps them: a mailing is one rule applied to one event, a delivery what one
 * recipient is sent of it by one channel.
 */
import { sql, text } from '../database/sql.ts'
import { jobKind } from '../jobs/job.ts'

/** Codes of printable documents and names of functions, as the rule gives them. */
export type RequestedAttachments = {
  readonly printableDocuments: readonly string[]
  readonly documentFunctions: readonly string[]
}

export const deliveryStatuses = ['queued', 'sending', 'sent', 'failed', 'dead'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Where sending processes hear of what is queued (LISTEN). */
export const queuedTopic = 'docket_delivery'

/** Expression that notifies sending processes of what is queued. */
export const notifySenders = sql`pg_notify(${text(queuedTopic)}, '')`

/** Makes the attachments of a mailing, and lets its deliveries go. */
export const attachDocuments = jobKind<{ readonly mailing_id: number }>('email.attach')

/** The attachments of a delivery are not made yet for those who read the same as its recipient. */
export class AttachmentsAwaited extends Error {
  override name = 'AttachmentsAwaited'
  readonly audience: string

  constructor(audience: string) {
    super('The attachments of this e-mail are not created yet.')
    this.audience = audience
  }
}
