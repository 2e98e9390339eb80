/** Sends through Mailgun (Messages, v3). */
import type { Interfaces } from 'mailgun.js/definitions'
import type { Email } from '../email.ts'
import type { EmailProvider } from '../provider.ts'
import { automaticHeaders, mailbox, type Sender } from './mime-message.ts'
import { answerWithin, networkText, providerError } from './provider-error.ts'

type Options = {
  readonly key: string
  readonly domain: string
  readonly apiUrl: string
  readonly sender: Sender
}

// Longer than any caller waits: an abandoned request must end at some time.
const timeoutMs = 120_000
/** "Messages can be at most 25MB, attachments included." */
const maxBytes = 25_000_000

export const mailgunProvider = async (options: Options): Promise<EmailProvider> => {
  const { key, domain, apiUrl, sender } = options
  const { default: Mailgun } = await import('mailgun.js')
  const client = new Mailgun(FormData).client({
    username: 'api',
    key,
    url: apiUrl,
    timeout: timeoutMs,
  })
  return {
    name: 'mailgun',
    maxBytes,
    send: async (email, signal) => {
      try {
        await answerWithin(client.messages.create(domain, messageOf(email, sender)), signal)
      } catch (error) {
        throw toDeliveryError(error)
      }
    },
    hasTaken: (messageId, signal) => isAmongEvents(options, messageId, signal),
    close: async () => undefined,
  }
}

// Without the client, which warns on the console about a newer API of logs; that one does not find messages
// by their id.
const isAmongEvents = async (
  { key, domain, apiUrl }: Options,
  messageId: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const url = new URL(`/v3/${encodeURIComponent(domain)}/events`, apiUrl)
  // Mailgun uses ids without their angle brackets.
  url.search = new URLSearchParams({ 'message-id': messageId.slice(1, -1), limit: '1' }).toString()
  const headers = { Authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}` }
  const answer = await fetch(url, { headers, signal })
  if (!answer.ok) throw new Error(`Mailgun: ${answer.status}`)
  const { items = [] } = (await answer.json()) as { readonly items?: readonly unknown[] }
  return items.length > 0
}

type Message = Parameters<Interfaces.IMailgunClient['messages']['create']>[1]

// The client's type requires one of several contents; the choice is made here.
const messageOf = (email: Email, { name, address }: Sender): Message => {
  const headers = { ...automaticHeaders(email), 'Message-Id': email.messageId }
  const prefixed = Object.entries(headers).map(([header, value]) => [`h:${header}`, value])
  const content =
    email.templateId === undefined
      ? { text: email.text, ...(email.html !== undefined && { html: email.html }) }
      : {
          template: email.templateId,
          't:variables': JSON.stringify(email.templateData),
        }
  return {
    to: mailbox(email.to.name, email.to.address),
    from: mailbox(name, address),
    ...(email.replyTo !== undefined && { 'h:Reply-To': email.replyTo }),
    subject: email.subject,
    ...Object.fromEntries(prefixed),
    ...content,
    // As files: for other data the client loses the type.
    attachment: email.attachments.map(
      ({ filename, mimetype, data }) => new File([bytesOf(data)], filename, { type: mimetype }),
    ),
  } as unknown as Message
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)

type MailgunError = Error & { readonly status?: number; readonly details?: string }

// The client reports 400 without a response, with the code of the network error as its message.
const errorCode = /^(E[A-Z]+|[A-Z]+(_[A-Z]+)+)$/

const toDeliveryError = (error: unknown) => {
  const { status, message, details } = error as MailgunError
  return providerError({
    provider: 'Mailgun',
    status: errorCode.test(message) ? undefined : status,
    message: details || networkText(error),
    cause: error,
  })
}
