/** An e-mail for nodemailer, which handles headers and encodings (RFC 2045 to 2047, 2231). */
import type { SendMailOptions } from 'nodemailer'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import MimeNode from 'nodemailer/lib/mime-node'
import { kept } from '../../../kept.ts'
import type { Attachment, Email } from '../email.ts'

export type Sender = {
  readonly name: string
  readonly address: string
}

/** Everything is passed as data: nothing in an e-mail can make the mailer read a file or an address. */
export const mimeMessage = async (
  email: Email,
  { name, address }: Sender,
): Promise<SendMailOptions> => ({
  from: { name, address },
  ...(email.replyTo !== undefined && { replyTo: email.replyTo }),
  to: { name: email.to.name, address: email.to.address },
  messageId: email.messageId,
  ...(mayBeDecoded(email.subject) ? {} : { subject: email.subject }),
  text: email.text,
  ...(email.html !== undefined && { html: email.html }),
  attachments: await Promise.all(
    email.attachments.map(async (attachment) => ({ raw: await partOf(attachment) })),
  ),
  headers: { ...automaticHeaders(email), ...encodedSubject(email.subject) },
  disableFileAccess: true,
  disableUrlAccess: true,
})

// The mailer encodes only what is not ASCII: a subject that looks like an encoded word (RFC 2047) would be
// decoded by readers.
const mayBeDecoded = (subject: string): boolean => subject.includes('=?')

const encodedSubject = (subject: string) =>
  mayBeDecoded(subject)
    ? {
        Subject: { prepared: true, foldLines: true, value: encodeWord(subject, 'B', 52) },
      }
    : {}

// All e-mails of a mailing have the same attachments: these are encoded once.
const partOf = kept(({ filename, mimetype, data }: Attachment): Promise<Buffer> => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const { type, encoding, content } = transferOf(mimetype, bytes)
  // Only a part: as a whole e-mail it would have a date and an id.
  const node = new MimeNode('multipart/mixed').createChild(type, { filename })
  node.setHeader('Content-Transfer-Encoding', encoding)
  node.setHeader('Content-Disposition', 'attachment')
  node.setContent(content)
  return node.build()
})

const composite = /^(?:message|multipart)\//i
const longestLine = 998

/**
 * How an attachment is transferred. A message or a multipart is never encoded (RFC 2046, 5.1 and 5.2): its
 * own parts are. One that is not lines of text is a file of bytes.
 */
const transferOf = (type: string, content: Buffer) => {
  if (!composite.test(type)) return { type, encoding: 'base64', content }
  const lines = content.toString('latin1').split(/\r\n|\r|\n/)
  if (content.includes(0) || lines.some((line) => line.length > longestLine))
    return { type: 'application/octet-stream', encoding: 'base64', content }
  const encoding = content.every((byte) => byte < 128) ? '7bit' : '8bit'
  return { type, encoding, content: Buffer.from(lines.join('\r\n'), 'latin1') }
}

/**
 * What programs read: nobody wrote it, so those that answer for absent people stay silent (RFC 3834, and the header of
 * Exchange, which ignores that), and with one click nothing like it comes any more (RFC 8058).
 */
export const automaticHeaders = ({ unsubscribeUrl }: Email): Record<string, string> => ({
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'OOF, AutoReply',
  ...(unsubscribeUrl !== undefined && {
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }),
})

/** A name and an address as one text (RFC 5322, 3.4); a name may contain anything except line breaks. */
export const mailbox = (name: string, address: string): string => {
  const plain = name.replaceAll(/\p{Cc}+/gu, ' ').trim()
  return plain === '' ? address : `"${plain.replaceAll(/["\\]/g, '\\$&')}" <${address}>`
}
