/** Reads a caught e-mail as people read it. */
import { apiError } from '../../errors.ts'

/** The parts of an e-mail, without the bytes of its attachments. */
export type CaughtMail = {
  readonly address: string
  readonly subject: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly html: string | null
  readonly attachments: readonly {
    readonly filename: string
    readonly mimetype: string
    readonly size: number
  }[]
}

// Decoding more would delay other requests of this thread.
const maxBytes = 8 * 1_048_576

export const readMail = async (content: Buffer): Promise<CaughtMail> => {
  if (content.length > maxBytes)
    throw apiError('delivery.not-composed', 'The e-mail is longer than 8 MiB. Read its file.')
  // Only the page of caught e-mails needs the parser.
  const { default: PostalMime } = await import('postal-mime')
  const mail = await PostalMime.parse(content)
  const headers = mail.headers.map(({ originalKey, value }) => [originalKey, value] as const)
  return {
    address: mail.to?.[0]?.address ?? '',
    subject: mail.subject ?? null,
    headers: Object.fromEntries(headers),
    text: mail.text ?? '',
    html: mail.html ?? null,
    attachments: mail.attachments.map(({ filename, mimeType, content: body }) => ({
      filename: filename ?? '',
      mimetype: mimeType,
      size: typeof body === 'string' ? body.length : body.byteLength,
    })),
  }
}
