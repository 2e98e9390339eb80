/**
 * The environment, read once. Every setting is a row of one table (name, reading, default, what it
 * does), which docs/configuration.md shows; all errors are reported together before anything starts.
 */
import { StartupError } from '../errors.ts'
import { databaseSettings } from './database-settings.ts'
import { emailSettings } from './email-settings.ts'
import { httpSettings } from './http-settings.ts'
import { processSettings } from './process-settings.ts'
import { projectFolder } from './project-folder.ts'
import {
  basePath,
  email,
  oneOf,
  optional,
  type Reading,
  type Setting,
  setting,
  text,
  timeZone,
  url,
  wholeNumber,
} from './setting.ts'

export const settings = {
  PROJECT: setting(
    '.',
    projectFolder,
    'Folder of the project; the working folder, or `example` in it where it is none itself.',
  ),
  HOST: setting('127.0.0.1', text, 'Address to listen on.'),
  PORT: setting('3000', wholeNumber(0, 65535), 'Port to listen on; 0 takes a free one.'),
  BASE_PATH: setting('', basePath, 'Path that goes before every path of the service.'),
  TIME_ZONE: optional(
    timeZone,
    "Zone in which a time without an offset is read; else the project's `timeZone`, else UTC.",
  ),
  ...databaseSettings,
  EXPORTS_AT_ONCE: setting(
    '8',
    wholeNumber(1, 1000),
    'Exports that run side by side; further ones are answered 503 with Retry-After.',
  ),
  EXPORT_TIMEOUT_SECONDS: setting(
    '3600',
    wholeNumber(1, 86_400),
    'Longest time of an export; one that takes longer is cut.',
  ),
  EXPORT_STALL_SECONDS: setting(
    '60',
    wholeNumber(1, 3600),
    'An export whose reader takes less than 256 KiB in so many seconds is cut.',
  ),
  REQUEST_TIMEOUT_SECONDS: setting(
    '30',
    wholeNumber(1, 3600),
    'Time that the database has to answer a request, exports aside; later it is a 503.',
  ),
  JOBS_AT_ONCE: setting(
    '32',
    wholeNumber(1, 1000),
    'Jobs that run side by side in one process; further ones wait.',
  ),
  DELIVERIES: setting(
    'auto',
    oneOf('auto', 'send', 'hold'),
    'Whether jobs run and e-mails are sent: auto holds them in a copy of the database, send takes any database for the one that sends, hold always holds them.',
  ),
  ...httpSettings,
  SHUTDOWN_GRACE_SECONDS: setting(
    '30',
    wholeNumber(0, 3600),
    'Time that running requests and jobs get to end after SIGTERM.',
  ),
  AUTH_ISSUER: optional(
    url('https:', 'http:'),
    'OpenID Connect issuer whose tokens are taken; without it the development issuer is used, or beyond loopback addresses API keys alone.',
  ),
  AUTH_AUDIENCE: optional(text, 'Audience that a token must name; needed with AUTH_ISSUER.'),
  AUTH_PROVISION_ROLE: optional(
    text,
    'Role of a first-time caller, who then becomes a user; without it they are refused.',
  ),
  ADMIN_EMAIL: setting(
    'admin@example.com',
    email,
    'E-mail of the administrator that a database without one gets.',
  ),
  NOTIFICATIONS_KEEP_SEEN_DAYS: setting(
    '180',
    wholeNumber(1, 36500),
    'Stored notifications that were seen are removed after so many days.',
  ),
  NOTIFICATIONS_KEEP_DAYS: setting(
    '365',
    wholeNumber(1, 36500),
    'All stored notifications are removed after so many days.',
  ),
  ...emailSettings,
  ...processSettings,
  LOG_LEVEL: setting(
    'info',
    oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
    'Least severity that the log shows.',
  ),
} satisfies Record<string, Setting<unknown>>

type Settings = typeof settings
type ValueOf<S> = S extends { read: (value: string) => infer T }
  ? Exclude<T, { readonly issue: string }>
  : never

/** The settings by name; those without a default may be undefined. */
export type Config = {
  readonly [Name in keyof Settings]: Settings[Name]['fallback'] extends string
    ? ValueOf<Settings[Name]>
    : ValueOf<Settings[Name]> | undefined
}

/** Reads the settings; throws one StartFault that names every error. An empty value is absent. */
export const loadConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const errors: string[] = []
  const entries = Object.entries(settings).map(([name, { read, fallback }]) => {
    const given = environment[name] || fallback
    if (given === undefined) return [name, undefined]
    const value = (read as Reading<unknown>)(given)
    // What may hold a password is not shown.
    const shown = /_(URL|KEY|TOKEN)$/.test(name) ? '' : `; it is ${JSON.stringify(given)}`
    if (isIssue(value)) errors.push(`${name} ${value.issue}${shown}`)
    return [name, value]
  })
  const config = Object.fromEntries(entries) as Config
  if (config.AUTH_ISSUER !== undefined && config.AUTH_AUDIENCE === undefined)
    errors.push('AUTH_AUDIENCE is needed with AUTH_ISSUER')
  if (errors.length > 0)
    throw new StartupError(`The environment is not right:\n  ${errors.join('\n  ')}`)
  return config
}

const isIssue = (value: unknown): value is { readonly issue: string } =>
  typeof value === 'object' && value !== null && 'issue' in value
