/** The settings of e-mails: who sends them, and those of each provider. */
import { email, oneOf, optional, type Setting, setting, text, url, wholeNumber } from './setting.ts'

const api = url('https:', 'http:')

// Case-insensitive, because variable names have it in capital letters.
const provider = oneOf('file', 'smtp', 'sendgrid', 'mailgun', 'postmark', 'ses')

export const emailSettings = {
  PUBLIC_URL: optional(
    api,
    'Public address of the service with its path, for links; without it HOST, PORT and BASE_PATH.',
  ),
  EMAIL_PROVIDER: setting(
    'file',
    (text) => provider(text.toLowerCase()),
    'Who sends e-mails: file (writes them under `.docket/mail/`), smtp, sendgrid, mailgun, postmark or ses.',
  ),
  EMAIL_FROM: setting(
    'docket@localhost',
    email,
    'Sender address of e-mails; required for every provider except file.',
  ),
  EMAIL_FROM_NAME: optional(text, 'Sender name of e-mails; without it the name of the project.'),
  EMAIL_REPLY_TO: optional(email, 'Address for replies to e-mails whose rule has no `replyTo`.'),
  EMAILS_AT_ONCE: setting('5', wholeNumber(1, 100), 'E-mails that one process sends concurrently.'),
  EMAIL_MAX_TRIES: setting('8', wholeNumber(1, 20), 'Tries of one e-mail, over about a day.'),
  EMAIL_MAX_PER_SECOND: optional(
    wholeNumber(1, 10_000),
    'E-mails per second of all processes together; without it there is no limit.',
  ),
  ATTACHMENTS_MAX_BYTES: setting(
    '20971520',
    wholeNumber(1, 1_073_741_824),
    "Size of all attachments of one e-mail; larger ones, or those beyond the provider's limit, become links.",
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
  SES_ACCESS_KEY_ID: optional(
    text,
    'Access key of ses; without it the default credentials of AWS clients.',
  ),
  SES_SECRET_ACCESS_KEY: optional(text, 'Secret of the access key.'),
  SES_API_URL: optional(api, 'Its address; without it the default of the region.'),
  ...defaultTemplates(),
} satisfies Record<string, Setting<unknown>>

// Their names are those of docs/email.md, which callers rely on.
function defaultTemplates() {
  const templateOf = (name: string) =>
    optional(text, `Template of rules without \`emailTemplateId\`, for the provider ${name}.`)
  return {
    WORKFLOW_NOTIFICATION_FILE_DEFAULT_TEMPLATE_ID: templateOf('file'),
    WORKFLOW_NOTIFICATION_SMTP_DEFAULT_TEMPLATE_ID: templateOf('smtp'),
    WORKFLOW_NOTIFICATION_SENDGRID_DEFAULT_TEMPLATE_ID: templateOf('sendgrid'),
    WORKFLOW_NOTIFICATION_MAILGUN_DEFAULT_TEMPLATE_ID: templateOf('mailgun'),
    WORKFLOW_NOTIFICATION_POSTMARK_DEFAULT_TEMPLATE_ID: templateOf('postmark'),
    WORKFLOW_NOTIFICATION_SES_DEFAULT_TEMPLATE_ID: templateOf('ses'),
  }
}
