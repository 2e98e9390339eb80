/** Sends through SendGrid (Mail Send, v3). */
import { DeliveryError } from '../../delivery.ts'
import type { Email, EmailProvider } from '../email.ts'
import { askApi, base64, jsonOf } from './ask-api.ts'
import { automaticHeaders, type Sender } from './mime-message.ts'

type Options = { readonly key: string; readonly apiUrl: string; readonly sender: Sender }

/** "The total size of your email, including attachments, must be less than 30MB." */
const maxBytes = 30_000_000

export const sendgridProvider = ({ key, apiUrl, sender }: Options): EmailProvider => ({
  name: 'sendgrid',
  maxBytes,
  send: async (email, signal) => {
    await askApi({
      provider: 'SendGrid',
      url: new URL('/v3/mail/send', apiUrl),
      request: {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(messageOf(email, sender)),
        signal,
      },
      explain: (text, { statusText, headers }) => {
        const { errors = [] } = jsonOf<{ errors: readonly { readonly message?: string }[] }>(text)
        return {
          message: errors.flatMap(({ message }) => message ?? []).join('; ') || statusText,
          retryAfter: resetOf(headers),
        }
      },
    })
  },
  close: async () => undefined,
})

const messageOf = (email: Email, { name, address }: Sender): object => {
  const { to, subject, text, html, templateId, attachments, messageId, replyTo } = email
  const recipient = { ...(to.name !== '' && { name: to.name }), email: to.address }
  return {
    personalizations: [{ to: [recipient], ...(templateId !== undefined && dataOf(email)) }],
    from: { name, email: address },
    ...(replyTo !== undefined && { reply_to: { email: replyTo } }),
    subject,
    headers: { ...automaticHeaders(email), 'Message-ID': messageId },
    ...(attachments.length > 0 && {
      attachments: attachments.map(({ filename, mimetype, data }) => ({
        filename,
        type: mimetype,
        content: base64(data),
        disposition: 'attachment',
      })),
    }),
    ...(templateId === undefined
      ? {
          content: [
            { type: 'text/plain', value: text },
            ...(html === undefined ? [] : [{ type: 'text/html', value: html }]),
          ],
        }
      : { template_id: templateId }),
  }
}

/** The data of a template: dynamic ones have an id that begins with `d-`. */
const dataOf = ({ templateId = '', templateData }: Email): object =>
  templateId.startsWith('d-')
    ? { dynamic_template_data: templateData }
    : { substitutions: substitutionsOf(templateData) }

/** "Substitutions […] total length of 10,000 bytes per personalization block" (Mail Send, v3). */
const maxSubstitutionBytes = 10_000

/** For legacy templates: each value by its path, so that `{{record.number}}` is replaced. */
const substitutionsOf = (data: object): Record<string, string> => {
  const paths = pathsOf(data, '')
  const bytes = Buffer.byteLength(JSON.stringify(Object.fromEntries(paths)))
  if (bytes > maxSubstitutionBytes)
    throw new DeliveryError(
      `SendGrid: The data has ${bytes} bytes, and a legacy template takes ${maxSubstitutionBytes}; use a dynamic template, whose id begins with "d-".`,
      { retryable: false },
    )
  return Object.fromEntries(paths.map(([path, value]) => [`{{${path}}}`, value]))
}

const pathsOf = (value: unknown, path: string): [string, string][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) =>
        pathsOf(inner, path === '' ? name : `${path}.${name}`),
      )
    : [[path, value === null || value === undefined ? '' : String(value)]]

/** SendGrid reports the end of its limit as seconds since 1970. */
const resetOf = (headers: Headers): string | undefined => {
  const seconds = Number(headers.get('x-ratelimit-reset'))
  return seconds > 0 ? new Date(seconds * 1000).toUTCString() : undefined
}
