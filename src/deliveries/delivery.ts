/** E-mails as the database keeps them: a mailing is one entry applied to one event, a delivery one e-mail of it. */
import { jobKind } from '../jobs/job.ts'

/** What all e-mails of a mailing have in common, beside the event and the record. */
export type Mailing = {
  readonly operation: string
  /** As the entry names it; undefined: the default of the provider. */
  readonly templateId: string | undefined
  /** What templates read beside the recipient. */
  readonly data: MailingData
  readonly wished: WishedAttachments
}

export type MailingData = {
  readonly record: object
  readonly actor: object
  readonly entity: { readonly key: string; readonly name: string }
  readonly action: object
  readonly comment: string | null
  /** What decides, beside their roles, what the recipients may read of it; it is not shown. */
  readonly sight?: {
    readonly shows_hidden: boolean
    /** Absent in mailings of earlier versions. */
    readonly skips_rights?: boolean
    /** Users by the path of what they created or own. */
    readonly record: Readonly<Record<string, readonly unknown[]>>
    readonly actor: Readonly<Record<string, readonly unknown[]>>
  }
}

/** Interface, "Notification configuration": codes of documents, names of functions. */
export type WishedAttachments = {
  readonly printableDocuments: readonly string[]
  readonly documentFunctions: readonly string[]
}

export const deliveryStatuses = ['queued', 'sending', 'sent', 'failed', 'dead'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Where sending processes hear that there is something to send. */
export const queuedChannel = 'docket_delivery'

/** Makes the attachments of a mailing, and lets its e-mails go. */
export const attachDocuments = jobKind<{ readonly mailing_id: number }>('email.attach')
