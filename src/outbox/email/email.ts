/** An e-mail to one user, as every provider accepts it, and what a provider is. */

export type Attachment = {
  /** Without path parts, control characters and quotes that would break a header. */
  readonly filename: string
  readonly mimetype: string
  readonly data: Uint8Array
}

export type Email = {
  /** Derived from the delivery, so that a repeated attempt can be recognised: `<id@host>`. */
  readonly messageId: string
  readonly to: { readonly name: string; readonly address: string }
  /** The address that replies go to; undefined: that of the sender. */
  readonly replyTo: string | undefined
  readonly subject: string
  readonly text: string
  /** Undefined if the template is at the provider. */
  readonly html: string | undefined
  /** Id of a template at the provider; undefined if the e-mail is composed here. */
  readonly templateId: string | undefined
  /** The data for a template at the provider. */
  readonly templateData: Readonly<Record<string, unknown>>
  readonly attachments: readonly Attachment[]
  /** The address to unsubscribe with one click (RFC 8058). */
  readonly unsubscribeUrl: string | undefined
}

/** The interface of a provider of e-mails; `providers/` has those that there are, and `open-provider.ts` there opens one. */
export type EmailProvider = {
  readonly name: string
  /** The largest e-mail that it accepts, with encoded attachments. */
  readonly maxBytes: number
  /** Resolves when the provider has accepted the e-mail; otherwise throws a DeliveryError. */
  readonly send: (email: Email, signal: AbortSignal) => Promise<void>
  /**
   * Whether it has accepted an e-mail with this message id before; absent if the provider cannot be asked.
   * Called before every attempt except the first.
   */
  readonly hasTaken?: (messageId: string, signal: AbortSignal) => Promise<boolean>
  readonly close: () => Promise<void>
}
