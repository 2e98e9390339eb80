/** Sends through Postmark. */
import { createHash } from 'node:crypto'
import type { Email, EmailProvider } from '../email.ts'
import { askApi, base64, jsonOf } from './ask-api.ts'
import { automaticHeaders, mailbox, type Sender } from './mime-message.ts'

type Options = { readonly token: string; readonly apiUrl: string; readonly sender: Sender }

/** "Up to 10 MB total, including text, HTML and attachments." */
const maxBytes = 10_000_000

// Messages are found by metadata, not by headers; a value has at most 80 characters.
const idKey = 'docket_id'
const shortId = (messageId: string): string => createHash('sha256').update(messageId).digest('hex')

// Errors that Postmark reports as 422 although they are temporary or the operator can correct them:
// maintenance, a sender that is not confirmed, an account without credit or not approved yet.
const passing = new Set([100, 400, 401, 405, 412, 413])

export const postmarkProvider = ({ token, apiUrl, sender }: Options): EmailProvider => {
  const ask = (path: string, request: RequestInit) =>
    askApi({
      provider: 'Postmark',
      url: `${apiUrl.replace(/\/$/, '')}${path}`,
      request: {
        ...request,
        headers: {
          Accept: 'application/json',
          'Content-Type': 'application/json',
          'X-Postmark-Server-Token': token,
        },
      },
      explain: (text, { status }) => {
        const { ErrorCode = 0, Message } = jsonOf<{ ErrorCode: number; Message: string }>(text)
        return {
          message: Message ?? `Request returned status code ${status}`,
          mayPass: passing.has(ErrorCode),
        }
      },
    })
  return {
    name: 'postmark',
    maxBytes,
    send: async (email, signal) => {
      const { path, content } = contentOf(email)
      const body = JSON.stringify({ ...envelopeOf(email, sender), ...content })
      await ask(path, { method: 'POST', body, signal })
    },
    hasTaken: async (messageId, signal) => {
      const id = shortId(messageId)
      const found = await ask(`/messages/outbound?count=1&offset=0&metadata_${idKey}=${id}`, {
        signal,
      })
      return Number(jsonOf<{ TotalCount: number }>(found).TotalCount) > 0
    },
    close: async () => undefined,
  }
}

const envelopeOf = (email: Email, { name, address }: Sender) => ({
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

const contentOf = ({ subject, text, html, templateId, templateData }: Email) => {
  if (templateId === undefined)
    return {
      path: '/email',
      content: { Subject: subject, TextBody: text, ...(html !== undefined && { HtmlBody: html }) },
    }
  // Templates have a number or an alias.
  const template = /^\d+$/.test(templateId)
    ? { TemplateId: Number(templateId) }
    : { TemplateAlias: templateId }
  return { path: '/email/withTemplate', content: { ...template, TemplateModel: templateData } }
}
