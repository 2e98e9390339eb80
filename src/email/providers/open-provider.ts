/** The table of providers: which one sends, by EMAIL_PROVIDER. */
import { join } from 'node:path'
import type { Config } from '../../config/load-config.ts'
import type { EmailProvider } from '../provider.ts'
import { fileProvider } from './file-provider.ts'
import { mailgunProvider } from './mailgun-provider.ts'
import type { Sender } from './mime-message.ts'
import { postmarkProvider } from './postmark-provider.ts'
import { sendgridProvider } from './sendgrid-provider.ts'
import { sesProvider } from './ses-provider.ts'
import { smtpProvider } from './smtp-provider.ts'

type Open = (config: Config, sender: Sender) => Promise<EmailProvider>

// That what a provider needs is there, the configuration has checked.
const providers: Readonly<Record<Config['EMAIL_PROVIDER'], Open>> = {
  file: async (config, sender) => fileProvider(mailFolder(config.PROJECT), sender),
  smtp: async ({ SMTP_URL, EMAILS_AT_ONCE }, sender) =>
    smtpProvider({ url: SMTP_URL ?? '', atOnce: EMAILS_AT_ONCE, sender }),
  sendgrid: ({ SENDGRID_API_KEY, SENDGRID_API_URL }, sender) =>
    sendgridProvider({ key: SENDGRID_API_KEY ?? '', apiUrl: SENDGRID_API_URL, sender }),
  mailgun: ({ MAILGUN_API_KEY, MAILGUN_DOMAIN, MAILGUN_API_URL }, sender) =>
    mailgunProvider({
      key: MAILGUN_API_KEY ?? '',
      domain: MAILGUN_DOMAIN ?? '',
      apiUrl: MAILGUN_API_URL,
      sender,
    }),
  postmark: ({ POSTMARK_SERVER_TOKEN, POSTMARK_API_URL }, sender) =>
    postmarkProvider({ token: POSTMARK_SERVER_TOKEN ?? '', apiUrl: POSTMARK_API_URL, sender }),
  ses: ({ SES_REGION, SES_ACCESS_KEY_ID, SES_SECRET_ACCESS_KEY, SES_API_URL }, sender) =>
    sesProvider({
      region: SES_REGION ?? '',
      credentials:
        SES_ACCESS_KEY_ID !== undefined && SES_SECRET_ACCESS_KEY !== undefined
          ? { accessKeyId: SES_ACCESS_KEY_ID, secretAccessKey: SES_SECRET_ACCESS_KEY }
          : undefined,
      apiUrl: SES_API_URL,
      sender,
    }),
}

/** Opens the provider of the configuration; clients are loaded only when they are used. */
export const openProvider = (config: Config): Promise<EmailProvider> =>
  providers[config.EMAIL_PROVIDER](config, {
    name: config.EMAIL_FROM_NAME,
    address: config.EMAIL_FROM,
    replyTo: config.EMAIL_REPLY_TO,
  })

/** Where the provider `file` writes, in the folder of a project. */
export const mailFolder = (project: string): string => join(project, '.docket', 'mail')
