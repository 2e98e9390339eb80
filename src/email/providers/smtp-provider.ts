/** Sends through an SMTP server (RFC 5321), over a few connections that stay open. */
import { createTransport } from 'nodemailer'
import { errorText } from '../../errors.ts'
import { type EmailProvider, SendFault } from '../provider.ts'
import { mimeMessage, type Sender } from './mime-message.ts'

type Options = { readonly url: string; readonly atOnce: number; readonly sender: Sender }

const secondMs = 1_000
// What a server that says nothing of its own takes as a rule.
const usualMaxBytes = 25 * 1_048_576

/** One message per recipient; the server's 4xx is tried again, its 5xx is final. */
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
    templates: 'project',
    maxBytes: usualMaxBytes,
    send: async (email, signal) => {
      const sending = mailer.sendMail(mimeMessage(email, sender)).catch((error: unknown) => {
        throw refusalOf(error)
      })
      await Promise.race([sending, whenAborted(signal)])
    },
    close: async () => mailer.close(),
  }
}

type SmtpError = Error & {
  readonly responseCode?: number
  readonly code?: string
  readonly response?: string
}

// Wrong credentials are the operator's to mend, after which the e-mail is to go.
const mendable = new Set(['EAUTH', 'ETLS'])

const refusalOf = (error: unknown): SendFault => {
  const { responseCode, code, response } = error as SmtpError
  const isFinal = responseCode !== undefined && responseCode >= 500 && !mendable.has(code ?? '')
  const isBad = code === 'EENVELOPE' && responseCode === undefined
  const message = response ?? errorText(error)
  return new SendFault(`SMTP: ${message}`, {
    verdict: isFinal || isBad ? 'never' : 'again',
    cause: error,
  })
}

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const abort = () =>
      reject(new SendFault('The server did not answer in time.', { verdict: 'again' }))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
  })
