/** Sends through SendGrid (Mail Send, v3). */
import type MailService from '@sendgrid/mail'
import { DeliveryError } from '../../../retry-policy.ts'
import type { Email } from '../email.ts'
import type { EmailProvider } from '../provider.ts'
import { automaticHeaders, type Sender } from './mime-message.ts'
import { base64, networkText, providerError } from './provider-error.ts'

type Options = { readonly key: string; readonly apiUrl: string; readonly sender: Sender }

/** "The total size of your email, including attachments, must be less than 30MB." */
const maxBytes = 30_000_000

export const sendgridProvider = async ({
  key,
  apiUrl,
  sender,
}: Options): Promise<EmailProvider> => {
  const { default: sendgrid } = await import('@sendgrid/mail')
  const { MailService } = sendgrid as unknown as { MailService: new () => SendgridMail }
  return {
    name: 'sendgrid',
    maxBytes,
    send: async (email, signal) => {
      try {
        // One for each e-mail, because each has its own signal.
        const mail = new MailService()
        mail.client.setDefaultHeader('Authorization', `Bearer ${key}`)
        mail.client.setDefaultRequest({ baseUrl: apiUrl, signal })
        await mail.send(messageOf(email, sender))
      } catch (error) {
        throw error instanceof DeliveryError ? error : toDeliveryError(error)
      }
    },
    close: async () => undefined,
  }
}

type MailDataRequired = Exclude<Parameters<(typeof MailService)['send']>[0], unknown[]>

// Parts of the client that its published types lack: separate instances, and their address.
type SendgridMail = {
  readonly client: {
    setDefaultHeader(name: string, value: string): void
    setDefaultRequest(defaults: object): void
  }
  send(message: MailDataRequired): Promise<unknown>
}

const messageOf = (email: Email, { name, address }: Sender): MailDataRequired => {
  const { to, subject, text, html, templateId, templateData, attachments, messageId } = email
  const common = {
    to: { name: to.name, email: to.address },
    from: { name, email: address },
    ...(email.replyTo !== undefined && { replyTo: email.replyTo }),
    subject,
    headers: { ...automaticHeaders(email), 'Message-ID': messageId },
    attachments: attachments.map(({ filename, mimetype, data }) => ({
      filename,
      type: mimetype,
      content: base64(data),
      disposition: 'attachment',
    })),
  }
  if (templateId === undefined) return { ...common, text, ...(html !== undefined && { html }) }
  return isDynamic(templateId)
    ? { ...common, templateId, dynamicTemplateData: { ...templateData }, hideWarnings: true }
    : { ...common, templateId, substitutions: substitutionsOf(templateData) }
}

const isDynamic = (templateId: string): boolean => templateId.startsWith('d-')

/** "Substitutions […] total length of 10,000 bytes per personalization block" (Mail Send, v3). */
const maxSubstitutionBytes = 10_000

/** For legacy templates: each value by its path, so that `{{record.number}}` is replaced. */
const substitutionsOf = (data: object): Record<string, string> => {
  const found = Object.fromEntries(pathsOf(data, ''))
  const bytes = Buffer.byteLength(JSON.stringify(found))
  if (bytes > maxSubstitutionBytes)
    throw new DeliveryError(
      `SendGrid: The data has ${bytes} bytes, and a legacy template takes ${maxSubstitutionBytes}; use a dynamic template, whose id begins with "d-".`,
      { retryable: false },
    )
  return found
}

const pathsOf = (value: unknown, path: string): [string, string][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) =>
        pathsOf(inner, path === '' ? name : `${path}.${name}`),
      )
    : [[path, value === null || value === undefined ? '' : String(value)]]

type SendgridError = Error & {
  readonly code?: number | string
  readonly response?: {
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: { readonly errors?: readonly { readonly message?: string }[] }
  }
}

const toDeliveryError = (error: unknown) => {
  const { code, response } = error as SendgridError
  const details = response?.body?.errors?.flatMap(({ message }) => message ?? []).join('; ')
  return providerError({
    provider: 'SendGrid',
    status: typeof code === 'number' ? code : undefined,
    message: details || networkText(error),
    retryAfter: response?.headers?.['retry-after'] ?? resetOf(response?.headers),
    cause: error,
  })
}

/** SendGrid reports the end of its limit as seconds since 1970. */
const resetOf = (headers: Readonly<Record<string, string>> = {}): string | undefined => {
  const seconds = Number(headers['x-ratelimit-reset'])
  return seconds > 0 ? new Date(seconds * 1000).toUTCString() : undefined
}
