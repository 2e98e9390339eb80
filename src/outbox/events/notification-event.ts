/** What notifications and deliveries are about: a rule applied to an event, and the data for templates. */

export type NotificationEvent = {
  /** Identifies the event; the same for every attempt. */
  readonly id: string
  /** Identifies the rule: its index in the definition. */
  readonly rule: string
  readonly entityKey: string
  readonly entityId: number
  /** ISO time of the event; the same for every attempt. */
  readonly at: string
  /** Of the job that notifies of it, if the change was traced. */
  readonly traceparent?: string | undefined
}

/** What templates of deliveries read besides the recipient. */
export type EventData = {
  readonly record: object
  readonly actor: object
  readonly entity: { readonly key: string; readonly name: string }
  readonly action: object
  readonly comment: string | null
  /** The user field whose address replies go to, or the actor, and the address; it is not shown. */
  readonly reply_to?: { readonly path: string; readonly address: string } | undefined
  /** Decides, besides their roles, what the recipients may read of it; it is not shown. */
  readonly sight?: {
    readonly shows_hidden: boolean
    /** Absent in mailings of earlier versions. */
    readonly skips_rights?: boolean
    /** Users by the path of the record that they created or own. */
    readonly record: Readonly<Record<string, readonly unknown[]>>
    readonly actor: Readonly<Record<string, readonly unknown[]>>
  }
}
