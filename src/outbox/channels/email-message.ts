/** An e-mail as administrators read it. */

import type { DeliveryMessage } from '../channel.ts'
import type { Email } from '../email/email.ts'
import { automaticHeaders, mailbox, type Sender } from '../email/providers/mime-message.ts'

/** The headers that the service sets; the provider adds its own. */
export const emailMessage = (email: Email, sender: Sender): DeliveryMessage => ({
  address: email.to.address,
  subject: email.subject,
  headers: {
    From: mailbox(sender.name, sender.address),
    ...(email.replyTo !== undefined && { 'Reply-To': email.replyTo }),
    To: mailbox(email.to.name, email.to.address),
    Subject: email.subject,
    'Message-ID': email.messageId,
    ...automaticHeaders(email),
  },
  text: email.text,
  html: email.html ?? null,
  template:
    email.templateId === undefined ? null : { id: email.templateId, data: email.templateData },
})
