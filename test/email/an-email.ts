/** E-mails to send in tests, and how a refusal is caught. */
import assert from 'node:assert/strict'
import type { Email } from '../../src/email/email.ts'
import type { EmailProvider } from '../../src/email/provider.ts'
import { DeliveryError } from '../../src/retry-policy.ts'

export const sender = {
  name: 'Docket "of" Žagreb',
  address: 'docket@example.com',
  replyTo: 'office@example.com',
}

/** Every byte there is, so that no encoding on the way can hide. */
export const allBytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256))

export const anEmail = (values: Partial<Email> = {}): Email => ({
  messageId: '<event-1.0.7@docket.example.com>',
  to: { name: 'Anna Example', address: 'anna@example.com' },
  subject: 'Order PO-1',
  text: 'Dear Anna,\n\nPO-1 was approved.',
  html: '<p>Dear Anna,</p><p>PO-1 was approved.</p>',
  templateId: undefined,
  templateData: {},
  attachments: [],
  unsubscribeUrl: undefined,
  ...values,
})

export const attachment = (filename: string, data: Uint8Array = Buffer.from('text')) => ({
  filename,
  mimetype: 'application/octet-stream',
  data,
})

/** A signal that is never raised. */
export const patience = new AbortController().signal

/** Why a provider does not take an e-mail; fails when it does. */
export const refusalOf = async (
  provider: EmailProvider,
  email: Email = anEmail(),
  signal: AbortSignal = patience,
): Promise<DeliveryError> => {
  const refusal = await provider.send(email, signal).then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(refusal instanceof DeliveryError, String(refusal ?? 'it was sent'))
  return refusal
}

/** Texts that would end a header, a quoted string or a path where nobody checks. */
export const hostileTexts = [
  'Anna\r\nBcc: eve@example.com',
  'Anna\nX-Evil: 1\n\nbody',
  'Anna\rX-Evil: 1',
  '"Anna" <eve@example.com>, eve@example.com',
  'Anna\\" <eve@example.com>',
  'Žofija Čačić 🦊 株式会社',
  '=?UTF-8?Q?Bcc:_eve?=',
  'x'.repeat(1_000),
]
