/** Sends through Postmark. */
import { errorText } from '../../errors.ts'
import type { Email } from '../email.ts'
import { type EmailProvider, SendFault } from '../provider.ts'
import { answerWithin, apiRefusal, base64 } from './api-refusal.ts'
import { mailbox, type Sender, unsubscribeHeaders } from './mime-message.ts'

type Options = { readonly token: string; readonly apiUrl: string; readonly sender: Sender }

/** "Up to 10 MB total, including text, HTML and attachments." */
const maxBytes = 10_000_000

export const postmarkProvider = async (options: Options): Promise<EmailProvider> => {
  const { token, apiUrl, sender } = options
  const { default: postmark } = await import('postmark')
  const { host, protocol } = new URL(apiUrl)
  const client = new postmark.ServerClient(token, {
    requestHost: host,
    useHttps: protocol === 'https:',
  })
  return {
    name: 'postmark',
    templates: 'provider',
    maxBytes,
    send: async (email, signal) => {
      const sending =
        email.templateId === undefined
          ? client.sendEmail({ ...commonOf(email, sender), ...contentOf(email) })
          : client.sendEmailWithTemplate({
              ...commonOf(email, sender),
              ...templateOf(email.templateId),
              TemplateModel: email.templateData,
            })
      try {
        await answerWithin(sending, signal)
      } catch (error) {
        throw refusalOf(error)
      }
    },
    close: async () => undefined,
  }
}

const commonOf = (email: Email, { name, address, replyTo }: Sender) => ({
  From: mailbox(name, address),
  To: mailbox(email.to.name, email.to.address),
  ...(replyTo !== undefined && { ReplyTo: replyTo }),
  Headers: [
    ...Object.entries(unsubscribeHeaders(email)).map(([Name, Value]) => ({ Name, Value })),
    { Name: 'Message-ID', Value: email.messageId },
    // Without this header Postmark makes an id of its own.
    { Name: 'X-PM-KeepID', Value: 'true' },
  ],
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

/** Templates are known by number or by alias. */
const templateOf = (id: string) =>
  /^\d+$/.test(id) ? { TemplateId: Number(id) } : { TemplateAlias: id }

type PostmarkError = Error & { readonly code?: number; readonly statusCode?: number }

// Codes of Postmark's that time mends: too many requests, and its own maintenance.
const passing = new Set([100, 429])

const refusalOf = (error: unknown): SendFault => {
  const { code, statusCode } = error as PostmarkError
  const message = errorText(error)
  if (code !== undefined && passing.has(code))
    return new SendFault(`Postmark: ${message}`, { verdict: 'again', cause: error })
  const status = statusCode === 0 ? undefined : statusCode
  return apiRefusal({ provider: 'Postmark', status, message, cause: error })
}
