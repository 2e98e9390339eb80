/** Sends through Amazon SES (v2): whole messages, or templates that stand there. */
import type { SendEmailCommandInput } from '@aws-sdk/client-sesv2'
import { createTransport } from 'nodemailer'
import { errorText } from '../../errors.ts'
import type { Email } from '../email.ts'
import type { EmailProvider } from '../provider.ts'
import { apiRefusal, base64 } from './api-refusal.ts'
import { mimeMessage, type Sender, unsubscribeHeaders } from './mime-message.ts'

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
    // Tries are counted and spread by us.
    maxAttempts: 1,
  })
  const mailer = createTransport({ streamTransport: true, buffer: true })
  const rawOf = async (email: Email) => {
    const { message } = await mailer.sendMail(mimeMessage(email, sender))
    return { Raw: { Data: message as Buffer } }
  }
  return {
    name: 'ses',
    templates: 'provider',
    maxBytes,
    send: async (email, signal) => {
      const content =
        email.templateId === undefined ? await rawOf(email) : templateOf(email, email.templateId)
      const command = new SendEmailCommand({ ...envelopeOf(email, sender), Content: content })
      try {
        await client.send(command, { abortSignal: signal })
      } catch (error) {
        throw refusalOf(error)
      }
    },
    close: async () => client.destroy(),
  }
}

const envelopeOf = (email: Email, { name, address, replyTo }: Sender) => ({
  FromEmailAddress: `${quoted(name)} <${address}>`,
  Destination: { ToAddresses: [email.to.address] },
  ...(replyTo !== undefined && { ReplyToAddresses: [replyTo] }),
})

// A header takes ASCII: other names are encoded (RFC 2047).
const quoted = (name: string): string =>
  /^[\x20-\x7e]*$/.test(name)
    ? `"${name.replaceAll(/["\\]/g, '\\$&')}"`
    : `=?UTF-8?B?${Buffer.from(name).toString('base64')}?=`

const templateOf = (
  email: Email,
  templateId: string,
): NonNullable<SendEmailCommandInput['Content']> => ({
  Template: {
    TemplateName: templateId,
    TemplateData: JSON.stringify(email.templateData),
    Headers: Object.entries(unsubscribeHeaders(email)).map(([Name, Value]) => ({ Name, Value })),
    Attachments: email.attachments.map(({ filename, mimetype, data }) => ({
      FileName: filename,
      ContentType: mimetype,
      RawContent: Buffer.from(base64(data), 'base64'),
    })),
  },
})

type SesError = Error & { readonly $metadata?: { readonly httpStatusCode?: number } }

// What SES says with a 400 though time or the operator mends it.
const passing = new Set([
  'TooManyRequestsException',
  'LimitExceededException',
  'SendingPausedException',
  'AccountSuspendedException',
  'MailFromDomainNotVerifiedException',
  'ThrottlingException',
])

const refusalOf = (error: unknown) => {
  const { name, $metadata } = error as SesError
  const status = passing.has(name) ? 429 : $metadata?.httpStatusCode
  const message = `${name}: ${errorText(error)}`
  return apiRefusal({ provider: 'SES', status, message, cause: error })
}
