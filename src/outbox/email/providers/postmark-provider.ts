/** Sends through Postmark. */
import { createHash } from 'node:crypto'
import type { DeliveryError } from '../../../retry-policy.ts'
import type { Email } from '../email.ts'
import type { EmailProvider } from '../provider.ts'
import { automaticHeaders, mailbox, type Sender } from './mime-message.ts'
import { base64, networkText, providerError } from './provider-error.ts'

type Options = { readonly token: string; readonly apiUrl: string; readonly sender: Sender }

/** "Up to 10 MB total, including text, HTML and attachments." */
const maxBytes = 10_000_000

export const postmarkProvider = async ({
  token,
  apiUrl,
  sender,
}: Options): Promise<EmailProvider> => {
  const { ServerClient } = await import('postmark')
  const { host, pathname, protocol } = new URL(apiUrl)
  const options = {
    requestHost: host + pathname.replace(/\/$/, ''),
    useHttps: protocol === 'https:',
  }
  return {
    name: 'postmark',
    maxBytes,
    send: async (email, signal) => {
      const heard: Heard = {}
      // One for each e-mail, because each has its own signal, and the client hides the headers of
      // responses.
      const client = new ServerClient(token, { ...options, fetch: fetchUntil(signal, heard) })
      try {
        await (email.templateId === undefined
          ? client.sendEmail({ ...commonOf(email, sender), ...contentOf(email) })
          : client.sendEmailWithTemplate({
              ...commonOf(email, sender),
              ...templateOf(email.templateId),
              TemplateModel: email.templateData,
            }))
      } catch (error) {
        throw toDeliveryError(error, heard)
      }
    },
    hasTaken: async (messageId, signal) => {
      const client = new ServerClient(token, { ...options, fetch: fetchUntil(signal, {}) })
      const filter = { count: 1, offset: 0, [`metadata_${idKey}`]: shortId(messageId) }
      return Number((await client.getOutboundMessages(filter)).TotalCount) > 0
    },
    close: async () => undefined,
  }
}

// Messages are found by metadata, not by headers; a value has at most 80 characters.
const idKey = 'docket_id'
const shortId = (messageId: string): string => createHash('sha256').update(messageId).digest('hex')

type Heard = { retryAfter?: string | undefined }

const fetchUntil =
  (signal: AbortSignal, heard: Heard) =>
  async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const answer = await fetch(input, { ...init, signal }).catch((error: unknown) => {
      throw new Error(networkText(error))
    })
    heard.retryAfter = answer.headers.get('retry-after') ?? undefined
    return answer
  }

const commonOf = (email: Email, { name, address }: Sender) => ({
  From: mailbox(name, address),
  To: mailbox(email.to.name, email.to.address),
  ...(email.replyTo !== undefined && { ReplyTo: email.replyTo }),
  Headers: [
    ...Object.entries(automaticHeaders(email)).map(([Name, Value]) => ({ Name, Value })),
    { Name: 'Message-ID', Value: email.messageId },
    // Without this header Postmark generates an id.
    { Name: 'X-PM-KeepID', Value: 'true' },
  ],
  Metadata: { [idKey]: shortId(email.messageId) },
  Attachments: email.attachments.map(({ filename, mimetype, data }) => ({
    Name: filename,
    ContentType: mimetype,
    Content: base64(data),
    ContentID: null,
  })),
})

const contentOf = ({ subject, text, html }: Email) => ({
  Subject: subject,
  TextBody: text,
  ...(html !== undefined && { HtmlBody: html }),
})

/** Templates have a number or an alias. */
const templateOf = (id: string) =>
  /^\d+$/.test(id) ? { TemplateId: Number(id) } : { TemplateAlias: id }

type PostmarkError = Error & { readonly code?: number; readonly statusCode?: number }

// Errors that Postmark reports as 422 although they are temporary or the operator can correct them:
// maintenance, a sender that is not confirmed, an account without credit or not approved yet.
const passing = new Set([100, 400, 401, 405, 412, 413])

const toDeliveryError = (error: unknown, { retryAfter }: Heard): DeliveryError => {
  const { code, statusCode } = error as PostmarkError
  return providerError({
    provider: 'Postmark',
    status: statusCode || undefined,
    mayPass: code !== undefined && passing.has(code),
    message: networkText(error),
    retryAfter,
    cause: error,
  })
}
