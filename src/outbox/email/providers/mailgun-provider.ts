/** Sends through Mailgun (Messages, v3). */
import type { Email, EmailProvider } from '../email.ts'
import { askApi, jsonOf } from './ask-api.ts'
import { automaticHeaders, mailbox, type Sender } from './mime-message.ts'

type Options = {
  readonly key: string
  readonly domain: string
  readonly apiUrl: string
  readonly sender: Sender
}

type Request = RequestInit & { readonly headers?: Readonly<Record<string, string>> }

/** "Messages can be at most 25MB, attachments included." */
const maxBytes = 25_000_000

export const mailgunProvider = ({ key, domain, apiUrl, sender }: Options): EmailProvider => {
  const ask = (path: string, request: Request) =>
    askApi({
      provider: 'Mailgun',
      url: new URL(`/v3/${encodeURIComponent(domain)}/${path}`, apiUrl),
      request: {
        ...request,
        headers: {
          ...request.headers,
          Authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}`,
        },
      },
      explain: (text) => ({ message: jsonOf<{ message: string }>(text).message ?? text }),
    })
  return {
    name: 'mailgun',
    maxBytes,
    send: async (email, signal) => {
      // As bytes: a form that fetch encodes while it is sent fails outside of its promise when the request is aborted.
      const form = new Response(formOf(email, sender))
      const headers = { 'Content-Type': form.headers.get('Content-Type') ?? '' }
      await ask('messages', { method: 'POST', headers, body: await form.arrayBuffer(), signal })
    },
    hasTaken: async (messageId, signal) => {
      // Mailgun uses ids without their angle brackets.
      const search = new URLSearchParams({ 'message-id': messageId.slice(1, -1), limit: '1' })
      const answer = await ask(`events?${search}`, { signal })
      const { items = [] } = jsonOf<{ items: readonly unknown[] }>(answer)
      return items.length > 0
    },
    close: async () => undefined,
  }
}

const formOf = (email: Email, { name, address }: Sender): FormData => {
  const form = new FormData()
  const headers = {
    ...automaticHeaders(email),
    'Message-Id': email.messageId,
    ...(email.replyTo !== undefined && { 'Reply-To': email.replyTo }),
  }
  const fields = {
    to: mailbox(email.to.name, email.to.address),
    from: mailbox(name, address),
    subject: email.subject,
    ...(email.templateId === undefined
      ? { text: email.text, ...(email.html !== undefined && { html: email.html }) }
      : { template: email.templateId, 't:variables': JSON.stringify(email.templateData) }),
  }
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  for (const [header, value] of Object.entries(headers)) form.append(`h:${header}`, value)
  for (const { filename, mimetype, data } of email.attachments)
    form.append('attachment', new File([new Uint8Array(data)], filename, { type: mimetype }))
  return form
}
