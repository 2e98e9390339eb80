/** E-mails for tests, and the error of a provider that rejects one. */
import assert from 'node:assert/strict'
import { DeliveryError } from '../../../src/outbox/delivery.ts'
import type { Email, EmailProvider } from '../../../src/outbox/email/email.ts'

export const sender = {
  name: 'Docket "of" Žagreb',
  address: 'docket@example.com',
}

export const replyTo = 'office@example.com'

/** All byte values, so that every encoding error shows. */
export const allBytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256))

export const anEmail = (values: Partial<Email> = {}): Email => ({
  messageId: '<event-1.0.7@docket.example.com>',
  to: { name: 'Anna Example', address: 'anna@example.com' },
  replyTo,
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

/** A signal that is never aborted. */
export const neverAborted = new AbortController().signal

/** The error with which a provider rejects an e-mail; fails when it accepts it. */
export const deliveryErrorOf = async (
  provider: EmailProvider,
  email: Email = anEmail(),
  signal: AbortSignal = neverAborted,
): Promise<DeliveryError> => {
  const rejection = await provider.send(email, signal).then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(rejection instanceof DeliveryError, String(rejection ?? 'the e-mail was sent'))
  return rejection
}

/** Texts that would end a header, a quoted string or a path without escaping. */
export const hostileTexts = [
  'Anna\r\nBcc: eve@example.com',
  'Anna\nX-Injected: 1\n\nbody',
  'Anna\rX-Injected: 1',
  '"Anna" <eve@example.com>, eve@example.com',
  'Anna\\" <eve@example.com>',
  'Žofija Čačić 🦊 株式会社',
  '=?UTF-8?Q?Bcc:_eve?=',
  'x'.repeat(1_000),
]
