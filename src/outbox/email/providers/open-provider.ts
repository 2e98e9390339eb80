/** The table of providers: which client sends for which transport. */
import type { EmailTransport } from '../../../config/email-transport.ts'
import type { EmailProvider } from '../email.ts'
import { fileProvider } from './file-provider.ts'
import { mailgunProvider } from './mailgun-provider.ts'
import type { Sender } from './mime-message.ts'
import { postmarkProvider } from './postmark-provider.ts'
import { sendgridProvider } from './sendgrid-provider.ts'
import { sesProvider } from './ses-provider.ts'
import { smtpProvider } from './smtp-provider.ts'

/** Opens the provider of a transport; clients are loaded only when they are used. */
export const openProvider = async (
  transport: EmailTransport,
  sender: Sender,
): Promise<EmailProvider> => {
  switch (transport.provider) {
    case 'file':
      return fileProvider(transport.folder, sender)
    case 'smtp':
      return smtpProvider({ ...transport, sender })
    case 'sendgrid':
      return sendgridProvider({ ...transport, sender })
    case 'mailgun':
      return mailgunProvider({ ...transport, sender })
    case 'postmark':
      return postmarkProvider({ ...transport, sender })
    case 'ses':
      return sesProvider({ ...transport, sender })
  }
}
