/** An e-mail to one person, as every provider takes it. */

export type Attachment = {
  /** Without path parts, control characters and quotes that a header would break at. */
  readonly filename: string
  readonly mimetype: string
  readonly data: Uint8Array
}

export type Email = {
  /** Derived from the delivery, so that a repeated try can be recognised: `<id@host>`. */
  readonly messageId: string
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
  /** Undefined where the template stands at the provider. */
  readonly html: string | undefined
  /** Id of a template at the provider; undefined where the e-mail is made here. */
  readonly templateId: string | undefined
  /** What a template at the provider fills in. */
  readonly templateData: Readonly<Record<string, unknown>>
  readonly attachments: readonly Attachment[]
  /** Where one click ends e-mails of this kind (RFC 8058). */
  readonly unsubscribeUrl: string | undefined
}
