/** An e-mail to one user, as every provider accepts it. */

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
