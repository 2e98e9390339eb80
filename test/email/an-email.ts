/** An e-mail as the service sends it. */
import type { Email } from '../../src/email/email.ts'

/** Who sends in the tests. */
export const sender = {
  name: 'Docket, "the" service',
  address: 'docket@example.com',
  replyTo: 'help@example.com',
}

/** An e-mail made here, with what is particular to a test. */
export const anEmail = (more: Partial<Email> = {}): Email => ({
  messageId: '<event.0.7@docket.example>',
  to: { name: 'Anna Kovač', address: 'anna@example.com' },
  subject: 'Narudžba – 発注書',
  text: 'Dear Anna,\n\nit is approved.',
  html: '<p>Dear Anna, it is <b>approved</b>.</p>',
  templateId: undefined,
  templateData: { title: 'approved' },
  attachments: [],
  unsubscribeUrl: 'https://docket.example/u?token=a.b',
  ...more,
})
