/** The settings of e-mails: who sends them, and those of each provider. */
import { email, oneOf, optional, type Setting, setting, text, url, wholeNumber } from './setting.ts'

const api = url('https:', 'http:')

// In capital letters too, as it stands in the names of variables.
const provider = oneOf('file', 'smtp', 'sendgrid', 'mailgun', 'postmark', 'ses')

export const emailSettings = {
  PUBLIC_URL: optional(
    api,
    'Address of the service as people reach it, its path included, for every link that it makes; without it HOST, PORT and BASE_PATH.',
  ),
  EMAIL_PROVIDER: setting(
    'file',
    (text) => provider(text.toLowerCase()),
    'Who sends e-mails: file (writes them under `.docket/mail/`), smtp, sendgrid, mailgun, postmark or ses.',
  ),
  EMAIL_FROM: setting(
    'docket@localhost',
    email,
    'Address that e-mails come from; needed with every provider but file.',
  ),
  EMAIL_FROM_NAME: setting('Docket', text, 'Name that e-mails come from.'),
  EMAIL_REPLY_TO: optional(email, 'Address that answers go to.'),
  EMAILS_AT_ONCE: setting('5', wholeNumber(1, 100), 'E-mails that one process sends at once.'),
  EMAIL_MAX_TRIES: setting('8', wholeNumber(1, 20), 'Tries of one e-mail, over about a day.'),
  EMAIL_MAX_PER_SECOND: optional(
    wholeNumber(1, 10_000),
    'E-mails that all processes together send in a second; without it as fast as they are taken.',
  ),
  ATTACHMENTS_MAX_BYTES: setting(
    '20971520',
    wholeNumber(1, 1_073_741_824),
    'Attachments of one e-mail together; beyond it, or beyond what the provider takes, links stand in their place.',
  ),
  SMTP_URL: optional(
    url('smtp:', 'smtps:'),
    'Server of the provider smtp, such as smtps://name:password@mail.example.com.',
  ),
  SENDGRID_API_KEY: optional(text, 'Key of the provider sendgrid.'),
  SENDGRID_API_URL: setting('https://api.sendgrid.com/', api, 'Its address.'),
  MAILGUN_API_KEY: optional(text, 'Key of the provider mailgun.'),
  MAILGUN_DOMAIN: optional(text, 'Domain that mailgun sends for.'),
  MAILGUN_API_URL: setting(
    'https://api.mailgun.net',
    api,
    'Its address; https://api.eu.mailgun.net in Europe.',
  ),
  POSTMARK_SERVER_TOKEN: optional(text, 'Token of the provider postmark.'),
  POSTMARK_API_URL: setting('https://api.postmarkapp.com', api, 'Its address.'),
  SES_REGION: optional(text, 'Region of the provider ses, such as eu-central-1.'),
  SES_ACCESS_KEY_ID: optional(text, 'Access key of ses; else those that AWS clients find.'),
  SES_SECRET_ACCESS_KEY: optional(text, 'Secret of the access key.'),
  SES_API_URL: optional(api, 'Its address, where it is not the usual one of the region.'),
  ...defaultTemplates(),
} satisfies Record<string, Setting<unknown>>

// Interface, "Notification configuration", emailTemplateId.
function defaultTemplates() {
  const templateOf = (name: string) =>
    optional(text, `Template of entries without \`emailTemplateId\`, with the provider ${name}.`)
  return {
    WORKFLOW_NOTIFICATION_FILE_DEFAULT_TEMPLATE_ID: templateOf('file'),
    WORKFLOW_NOTIFICATION_SMTP_DEFAULT_TEMPLATE_ID: templateOf('smtp'),
    WORKFLOW_NOTIFICATION_SENDGRID_DEFAULT_TEMPLATE_ID: templateOf('sendgrid'),
    WORKFLOW_NOTIFICATION_MAILGUN_DEFAULT_TEMPLATE_ID: templateOf('mailgun'),
    WORKFLOW_NOTIFICATION_POSTMARK_DEFAULT_TEMPLATE_ID: templateOf('postmark'),
    WORKFLOW_NOTIFICATION_SES_DEFAULT_TEMPLATE_ID: templateOf('ses'),
  }
}
