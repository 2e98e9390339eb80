/** Reads how e-mails are sent: each provider with the settings that it needs, and whose templates it fills. */
import { join } from 'node:path'
import { StartupError } from '../errors.ts'
import { emailSettings } from './email-settings.ts'
import type { Config } from './load-config.ts'

export type EmailTransport =
  | { readonly provider: 'file'; readonly folder: string }
  | { readonly provider: 'smtp'; readonly url: string; readonly atOnce: number }
  | { readonly provider: 'sendgrid'; readonly key: string; readonly apiUrl: string }
  | {
      readonly provider: 'mailgun'
      readonly key: string
      readonly domain: string
      readonly apiUrl: string
    }
  | { readonly provider: 'postmark'; readonly token: string; readonly apiUrl: string }
  | {
      readonly provider: 'ses'
      readonly region: string
      /** Undefined: the default credentials of AWS clients. */
      readonly credentials:
        | { readonly accessKeyId: string; readonly secretAccessKey: string }
        | undefined
      readonly apiUrl: string | undefined
    }

type ProviderName = EmailTransport['provider']

/** Reads a setting that the provider needs. */
type Required = (name: NeededSetting) => string

type NeededSetting =
  | 'SMTP_URL'
  | 'SENDGRID_API_KEY'
  | 'MAILGUN_API_KEY'
  | 'MAILGUN_DOMAIN'
  | 'POSTMARK_SERVER_TOKEN'
  | 'SES_REGION'

type Row<Name extends ProviderName> = {
  readonly needs: readonly NeededSetting[]
  readonly read: (
    config: Config,
    required: Required,
  ) => Omit<Extract<EmailTransport, { provider: Name }>, 'provider'>
}

const transports: { readonly [Name in ProviderName]: Row<Name> } = {
  file: { needs: [], read: ({ PROJECT }) => ({ folder: mailFolder(PROJECT) }) },
  smtp: {
    needs: ['SMTP_URL'],
    read: ({ EMAILS_AT_ONCE }, required) => ({
      url: required('SMTP_URL'),
      atOnce: EMAILS_AT_ONCE,
    }),
  },
  sendgrid: {
    needs: ['SENDGRID_API_KEY'],
    read: ({ SENDGRID_API_URL }, required) => ({
      key: required('SENDGRID_API_KEY'),
      apiUrl: SENDGRID_API_URL,
    }),
  },
  mailgun: {
    needs: ['MAILGUN_API_KEY', 'MAILGUN_DOMAIN'],
    read: ({ MAILGUN_API_URL }, required) => ({
      key: required('MAILGUN_API_KEY'),
      domain: required('MAILGUN_DOMAIN'),
      apiUrl: MAILGUN_API_URL,
    }),
  },
  postmark: {
    needs: ['POSTMARK_SERVER_TOKEN'],
    read: ({ POSTMARK_API_URL }, required) => ({
      token: required('POSTMARK_SERVER_TOKEN'),
      apiUrl: POSTMARK_API_URL,
    }),
  },
  ses: {
    needs: ['SES_REGION'],
    read: ({ SES_ACCESS_KEY_ID, SES_SECRET_ACCESS_KEY, SES_API_URL }, required) => ({
      region: required('SES_REGION'),
      credentials:
        SES_ACCESS_KEY_ID !== undefined && SES_SECRET_ACCESS_KEY !== undefined
          ? { accessKeyId: SES_ACCESS_KEY_ID, secretAccessKey: SES_SECRET_ACCESS_KEY }
          : undefined,
      apiUrl: SES_API_URL,
    }),
  },
}

/** The transport of the chosen provider; throws a StartupError that names every missing setting. */
export const emailTransportOf = (config: Config): EmailTransport => {
  const { EMAIL_PROVIDER: provider } = config
  const { needs, read } = transports[provider]
  const missing: string[] = needs.filter((name) => config[name] === undefined)
  if (provider !== 'file' && config.EMAIL_FROM === emailSettings.EMAIL_FROM.fallback)
    missing.push('EMAIL_FROM')
  if (missing.length > 0) {
    const errors = missing.map((name) => `${name} is needed with EMAIL_PROVIDER=${provider}`)
    throw new StartupError(`The environment has errors:\n  ${errors.join('\n  ')}`)
  }
  const required: Required = (name) => {
    const value = config[name]
    if (value === undefined) throw new Error(`${name} is read but not among the needs.`)
    return value
  }
  return { provider, ...read(config, required) } as EmailTransport
}

/** Where the provider `file` writes, in the folder of a project. */
export const mailFolder = (project: string): string => join(project, '.docket', 'mail')

/** Where templates of e-mails come from: files of the project, or templates at the provider. */
export type TemplateChoice = {
  /** What template ids refer to. */
  readonly templates: 'project' | 'provider'
  /** Of the variable WORKFLOW_NOTIFICATION_<EMAIL_PROVIDER>_DEFAULT_TEMPLATE_ID. */
  readonly defaultTemplateId: string | undefined
}

const templatesBy: Readonly<Record<Config['EMAIL_PROVIDER'], TemplateChoice['templates']>> = {
  file: 'project',
  smtp: 'project',
  sendgrid: 'provider',
  mailgun: 'provider',
  postmark: 'provider',
  ses: 'provider',
}

/** The choice for a configuration. */
export const templateChoiceOf = (config: Config): TemplateChoice => ({
  templates: templatesBy[config.EMAIL_PROVIDER],
  defaultTemplateId: config[defaultTemplateVariable(config)],
})

/** The name of the variable with the default template. */
export const defaultTemplateVariable = ({ EMAIL_PROVIDER }: Config) => {
  const name = EMAIL_PROVIDER.toUpperCase() as Uppercase<typeof EMAIL_PROVIDER>
  return `WORKFLOW_NOTIFICATION_${name}_DEFAULT_TEMPLATE_ID` as const
}
