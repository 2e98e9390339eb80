/**
 * The peer of sending: nodemailer alone, with a pool of persistent connections, in a thread. Sends as many
 * e-mails as a message requests, and answers when all were accepted.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { simpleParser } from 'mailparser'
import { createTransport, type SendMailOptions } from 'nodemailer'

export type PeerRequest = {
  readonly count: number
  /** An e-mail of Docket: the same headers, text, HTML and attachments for everybody. */
  readonly sample: string
}

const { port, connections } = workerData as { readonly port: number; readonly connections: number }
const options = {
  host: '127.0.0.1',
  port,
  pool: true,
  maxConnections: connections,
  maxMessages: Number.POSITIVE_INFINITY,
}
const mailer = createTransport(options as Parameters<typeof createTransport>[0])

let mailings = 0

parentPort?.on('message', async ({ count, sample }: PeerRequest) => {
  const message = await readMessage(sample)
  const mailing = ++mailings
  const begunAt = performance.timeOrigin + performance.now()
  let begun = 0
  const keepSending = async (): Promise<void> => {
    while (begun < count) {
      const user = ++begun
      const to = { name: `Person ${user}`, address: `p${user}@example.com` }
      await mailer.sendMail({ ...message, to, messageId: `<${mailing}.${user}@127.0.0.1>` })
    }
  }
  // Twice as many as connections, so that no connection waits for the next e-mail.
  await Promise.all(Array.from({ length: 2 * connections }, keepSending))
  parentPort?.postMessage(begunAt)
})

const readMessage = async (sample: string): Promise<SendMailOptions> => {
  const { from, subject, text, html, attachments, headerLines } = await simpleParser(sample)
  const kept = headerLines.filter(({ key }) => key.startsWith('list-unsubscribe'))
  return {
    from: from?.text ?? '',
    subject: subject ?? '',
    text: text ?? '',
    html: html || '',
    attachments: attachments.map(({ filename = '', contentType, content }) => ({
      filename,
      contentType,
      content,
    })),
    headers: kept.map(({ line }) => {
      const [, key = '', value = ''] = /^(.*?):(.*)$/s.exec(line) ?? []
      return { key, value: value.replaceAll(/\r\n\s+/g, ' ').trim() }
    }),
  }
}
