/**
 * The peer: nodemailer by itself, with a pool of connections that stay open. Takes a MailerWish and
 * answers when all e-mails were taken.
 */
import { type ParsedMail, simpleParser } from 'mailparser'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { answerQuestions } from './asked-process.ts'

export type MailerWish = {
  readonly mails: number
  /** An e-mail of Docket: the same headers, text, HTML and attachments go to everybody. */
  readonly sample: string
}

/** When the first e-mail was begun, in milliseconds since 1970. */
export type Mailed = { readonly startedAt: number }

const [port, connections] = process.argv.slice(2).map(Number)
const options = {
  host: '127.0.0.1',
  port,
  pool: true,
  maxConnections: connections,
  maxMessages: Number.POSITIVE_INFINITY,
}
const mailer = createTransport(options as Parameters<typeof createTransport>[0])

answerQuestions(async ({ mails, sample }: MailerWish): Promise<Mailed> => {
  const message = messageOf(await simpleParser(sample))
  const startedAt = performance.timeOrigin + performance.now()
  let begun = 0
  const keepSending = async (): Promise<void> => {
    while (begun < mails) {
      const person = ++begun
      const to = { name: `Person ${person}`, address: `p${person}@example.com` }
      await mailer.sendMail({ ...message, to, messageId: `<${startedAt}.${person}@127.0.0.1>` })
    }
  }
  // Twice as many as connections, so that none of these waits for the next e-mail.
  await Promise.all(Array.from({ length: 2 * (connections ?? 1) }, keepSending))
  return { startedAt }
})

const messageOf = ({
  from,
  subject,
  text,
  html,
  attachments,
  headerLines,
}: ParsedMail): SendMailOptions => ({
  from: from?.text ?? '',
  subject: subject ?? '',
  text: text ?? '',
  html: html || '',
  attachments: attachments.map(({ filename, contentType, content }) => ({
    filename: filename ?? '',
    contentType,
    content,
  })),
  headers: headerLines
    .filter(({ key }) => key.startsWith('list-unsubscribe'))
    .map(({ line }) => line.replaceAll(/\r\n\s+/g, ' '))
    .map((line) => ({
      key: line.slice(0, line.indexOf(':')),
      value: line.slice(line.indexOf(':') + 1).trim(),
    })),
})
