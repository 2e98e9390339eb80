/** Sends through Amazon SES (v2): complete messages, or templates that are stored there. */
import type { SendEmailCommandInput } from '@aws-sdk/client-sesv2'
import { createTransport } from 'nodemailer'
import { encodeWords } from 'nodemailer/lib/mime-funcs'
import type { Email, EmailProvider } from '../email.ts'
import { networkText, providerError } from './ask-api.ts'
import { automaticHeaders, mimeMessage, type Sender } from './mime-message.ts'

type Options = {
  readonly region: string
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined
  readonly apiUrl: string | undefined
  readonly sender: Sender
}

/** "The maximum message size is 40 MB", encoded. */
const maxBytes = 40_000_000

export const sesProvider = async (options: Options): Promise<EmailProvider> => {
  const { region, credentials, apiUrl, sender } = options
  const { SESv2Client, SendEmailCommand } = await import('@aws-sdk/client-sesv2')
  const client = new SESv2Client({
    region,
    ...(credentials && { credentials }),
    ...(apiUrl !== undefined && { endpoint: apiUrl }),
    // We count and delay retries ourselves.
    maxAttempts: 1,
  })
  const mailer = createTransport({ streamTransport: true, buffer: true })
  const rawOf = async (email: Email) => {
    const { message } = await mailer.sendMail(await mimeMessage(email, sender))
    return { Raw: { Data: message as Buffer } }
  }
  return {
    name: 'ses',
    maxBytes,
    send: async (email, signal) => {
      const content =
        email.templateId === undefined ? await rawOf(email) : templateOf(email, email.templateId)
      const command = new SendEmailCommand({ ...envelopeOf(email, sender), Content: content })
      try {
        await client.send(command, { abortSignal: signal })
      } catch (error) {
        throw toDeliveryError(error)
      }
    },
    close: async () => client.destroy(),
  }
}

const envelopeOf = (email: Email, { name, address }: Sender) => ({
  FromEmailAddress: `${quoted(name)} <${address}>`,
  Destination: { ToAddresses: [email.to.address] },
  ...(email.replyTo !== undefined && { ReplyToAddresses: [email.replyTo] }),
})

// A header contains only ASCII without line breaks: other names are encoded (RFC 2047).
const quoted = (name: string): string => {
  const plain = name.replaceAll(/\p{Cc}+/gu, ' ')
  return /^[\x20-\x7e]*$/.test(plain)
    ? `"${plain.replaceAll(/["\\]/g, '\\$&')}"`
    : encodeWords(plain, 'B', 52, true)
}

const templateOf = (
  email: Email,
  templateId: string,
): NonNullable<SendEmailCommandInput['Content']> => ({
  Template: {
    TemplateName: templateId,
    TemplateData: JSON.stringify(email.templateData),
    Headers: Object.entries(automaticHeaders(email)).map(([Name, Value]) => ({ Name, Value })),
    Attachments: email.attachments.map(({ filename, mimetype, data }) => ({
      FileName: filename,
      ContentType: mimetype,
      RawContent: data,
    })),
  },
})

type SesError = Error & {
  readonly $metadata?: { readonly httpStatusCode?: number }
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> }
}

// Errors that SES reports as 400 although they are temporary or the operator can correct them.
const passing = new Set([
  'TooManyRequestsException',
  'LimitExceededException',
  'SendingPausedException',
  'AccountSuspendedException',
  'MailFromDomainNotVerifiedException',
  'ThrottlingException',
])

const toDeliveryError = (error: unknown) => {
  const { name, $metadata, $response } = error as SesError
  return providerError({
    provider: 'SES',
    status: $metadata?.httpStatusCode,
    mayPass: passing.has(name),
    message: `${name}: ${networkText(error)}`,
    retryAfter: $response?.headers?.['retry-after'],
    cause: error,
  })
}
