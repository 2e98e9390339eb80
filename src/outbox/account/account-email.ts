/**
 * E-mails about an account: a code to sign in, and the link of an invitation. Their secret is made when they are sent, so that it is
 * stored nowhere: neither among the sent messages, which administrators read, nor in a log.
 */
import { randomBytes } from 'node:crypto'
import { digestOf } from '../../auth/callers/api-keys.ts'
import { setAnswer } from '../../auth/codes/asked-code-store.ts'
import { answerOf, newCode } from '../../auth/codes/asked-codes.ts'
import { setDigest } from '../../auth/codes/one-time-code-store.ts'
import { invitationLink } from '../../auth/passwords/invitations.ts'
import type { Pool } from '../../database/pool.ts'
import { DeliveryError } from '../delivery-error.ts'
import { oneLine } from '../email/compose-email.ts'
import type { Email } from '../email/email.ts'
import type { AccountEmail } from '../events/notification-event.ts'
import type { TakenDelivery } from '../sending/taken-delivery.ts'
import { accountTexts } from './account-texts.ts'

type Options = {
  readonly pool: Pool
  readonly publicUrl: string
  readonly locale: string | undefined
  readonly projectName: string
  readonly replyTo: string | undefined
}

export type ComposedAccountEmail = {
  /** As it is stored and shown: without its secret. */
  readonly shown: Email
  /** Makes the secret, and the e-mail that is sent. */
  readonly withSecret: () => Promise<Email>
}

const hidden = '•••• ••••'

/** Composes the e-mail of a delivery; throws a DeliveryError if it must not be sent. */
export const composeAccountEmail = (
  options: Options,
  delivery: TakenDelivery,
  account: AccountEmail,
): ComposedAccountEmail => {
  if (!delivery.is_active || delivery.address === '')
    throw new DeliveryError('The recipient may not use the service any more.', { retryable: false })
  const email = (secret: string) => emailOf(options, delivery, account, secret)
  return {
    shown: email(hidden),
    withSecret: async () => email(await makeSecret(options, account)),
  }
}

const makeSecret = async (
  { pool, publicUrl }: Options,
  { kind, code_id: id }: AccountEmail,
): Promise<string> => {
  const code = kind === 'code' ? newCode() : randomBytes(32).toString('base64url')
  const isOpen =
    kind === 'code'
      ? await setAnswer(pool, id, (browser) => answerOf(browser, code))
      : await setDigest(pool, { id, digest: digestOf(code) })
  if (!isOpen)
    throw new DeliveryError('It has ended: a newer one was asked for, or it was revoked.', {
      retryable: false,
    })
  return kind === 'code' ? `${code.slice(0, 4)} ${code.slice(4)}` : invitationLink(publicUrl, code)
}

const emailOf = (
  { locale, projectName, publicUrl, replyTo }: Options,
  { event, full_name, address }: TakenDelivery,
  { kind }: AccountEmail,
  secret: string,
): Email => {
  const texts = accountTexts(locale)
  const { subject, before, after } = texts[kind]
  const lines = [texts.dear(full_name), before(projectName), secret, ...after].map(oneLine)
  return {
    messageId: `<${event}@${new URL(publicUrl).hostname}>`,
    to: { name: oneLine(full_name), address },
    replyTo,
    subject: oneLine(subject(projectName)),
    text: `${lines.join('\n\n')}\n`,
    html: htmlOf(lines, secret, texts.language),
    templateId: undefined,
    templateData: {},
    attachments: [],
    unsubscribeUrl: undefined,
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => entities[one] ?? one)

const htmlOf = (lines: readonly string[], secret: string, language: string): string => {
  const isLink = /^https?:/.test(secret)
  const shown = isLink
    ? `<a href="${escaped(secret)}">${escaped(secret)}</a>`
    : `<strong style="font-size: 1.5em">${escaped(secret)}</strong>`
  const paragraphs = lines.map((line) => `<p>${line === secret ? shown : escaped(line)}</p>`)
  return `<!doctype html><html lang="${language}"><body>${paragraphs.join('')}</body></html>`
}
