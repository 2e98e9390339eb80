/** An e-mail as nodemailer takes it: headers and encodings (RFC 2045 to 2047, 2231) are its work. */
import type { SendMailOptions } from 'nodemailer'
import type { Email } from '../email.ts'

export type Sender = {
  readonly name: string
  readonly address: string
  readonly replyTo: string | undefined
}

/** Everything is given as data: nothing in an e-mail can make the mailer read a file or an address. */
export const mimeMessage = (email: Email, { name, address, replyTo }: Sender): SendMailOptions => ({
  from: { name, address },
  ...(replyTo !== undefined && { replyTo }),
  to: { name: email.to.name, address: email.to.address },
  messageId: email.messageId,
  subject: email.subject,
  text: email.text,
  ...(email.html !== undefined && { html: email.html }),
  attachments: email.attachments.map(({ filename, mimetype, data }) => ({
    filename,
    contentType: mimetype,
    content: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
  })),
  headers: unsubscribeHeaders(email),
  disableFileAccess: true,
  disableUrlAccess: true,
})

/** What lets a mail program offer one click that ends e-mails of this kind (RFC 8058). */
export const unsubscribeHeaders = ({ unsubscribeUrl }: Email): Record<string, string> =>
  unsubscribeUrl === undefined
    ? {}
    : {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }

/** A name and an address as one text (RFC 5322, 3.4); a name may hold anything but a line's end. */
export const mailbox = (name: string, address: string): string => {
  const plain = name.replaceAll(/\p{Cc}+/gu, ' ').trim()
  return plain === '' ? address : `"${plain.replaceAll(/["\\]/g, '\\$&')}" <${address}>`
}
