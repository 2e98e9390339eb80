/** Sends through an SMTP server (RFC 5321), over a few persistent connections. */
import { createTransport } from 'nodemailer'
import { errorText } from '../../../errors.ts'
import { DeliveryError } from '../../delivery.ts'
import type { EmailProvider } from '../email.ts'
import { mimeMessage, type Sender } from './mime-message.ts'

type Options = { readonly url: string; readonly atOnce: number; readonly sender: Sender }

const secondMs = 1_000
// The usual limit of servers that announce none.
const defaultMaxBytes = 25 * 1_048_576

/** One message per recipient; a 4xx of the server is retried, a 5xx is final. */
export const smtpProvider = ({ url, atOnce, sender }: Options): EmailProvider => {
  const mailer = createTransport({
    url,
    pool: true,
    maxConnections: atOnce,
    maxMessages: Number.POSITIVE_INFINITY,
    connectionTimeout: 10 * secondMs,
    greetingTimeout: 10 * secondMs,
    socketTimeout: 30 * secondMs,
  } as Parameters<typeof createTransport>[0])
  return {
    name: 'smtp',
    maxBytes: defaultMaxBytes,
    send: async (email, signal) => {
      try {
        await mailer.sendMail({ ...(await mimeMessage(email, sender)), signal })
      } catch (error) {
        throw signal.aborted ? lateAnswer(error) : toDeliveryError(error)
      }
    },
    close: async () => mailer.close(),
  }
}

const lateAnswer = (cause: unknown): DeliveryError =>
  new DeliveryError('SMTP: The server did not answer in time.', { retryable: true, cause })

type SmtpError = Error & {
  readonly responseCode?: number
  readonly code?: string
  readonly response?: string
  /** The command that failed. */
  readonly command?: string
}

// If a server rejects us before it gets the recipient, the cause is the credentials, TLS or the sender. The
// operator corrects these; then the e-mail is sent.
const finalCommands = new Set(['RCPT TO', 'DATA'])
const tooLarge = 552
const wantsCredentials = 530

const isFinal = ({ responseCode, code, command = '' }: SmtpError): boolean => {
  // An invalid address, or a message beyond the size that the server announces.
  if (responseCode === undefined) return code === 'EENVELOPE' || code === 'EMESSAGE'
  if (responseCode === tooLarge) return true
  return responseCode >= 500 && responseCode !== wantsCredentials && finalCommands.has(command)
}

const toDeliveryError = (error: unknown): DeliveryError => {
  const smtpError = error as SmtpError
  const message = smtpError.response ?? errorText(error)
  return new DeliveryError(`SMTP: ${message}`, { retryable: !isFinal(smtpError), cause: error })
}
