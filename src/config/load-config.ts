/**
 * Reads the environment once. Every setting is a row of one table (name, parser, default, description),
 * which docs/configuration.md shows. All errors are reported together. Also the folder and the public address
 * that follow from the settings.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { StartupError } from '../errors.ts'
import { isIssue } from '../issues.ts'
import { authSettings } from './auth-settings.ts'
import { databaseSettings } from './database-settings.ts'
import { emailSettings } from './email-settings.ts'
import { fileSettings } from './file-settings.ts'
import { httpSettings } from './http-settings.ts'
import { processSettings } from './process-settings.ts'
import {
  basePath,
  oneOf,
  optional,
  type Parser,
  type Setting,
  setting,
  share,
  text,
  timeZone,
  url,
  wholeNumber,
} from './setting.ts'
import { webhookSettings } from './webhook-settings.ts'

/** Whether a folder holds a project: its settings, or entity definitions. */
export const isProjectFolder = (directory: string): boolean =>
  existsSync(join(directory, 'docket.json')) || existsSync(join(directory, 'entities'))

/** The absolute path of a folder; for a working folder that is not a project, its folder `example`. */
const projectFolder = (name: string): string => {
  const isExample = name === '.' && !isProjectFolder('.') && isProjectFolder('example')
  return resolve(isExample ? 'example' : name)
}

export const settings = {
  PROJECT: setting(
    '.',
    projectFolder,
    'Folder of the project; the working folder, or its folder `example` when it is not a project.',
  ),
  HOST: setting('127.0.0.1', text, 'Address to listen on.'),
  PORT: setting('3000', wholeNumber(0, 65535), 'Port to listen on; 0 takes a free one.'),
  BASE_PATH: setting('', basePath, 'Prefix of every path of the service.'),
  TIME_ZONE: optional(
    timeZone,
    "Zone of times without an offset; without it the project's `timeZone`, or UTC.",
  ),
  ...databaseSettings,
  EXPORTS_AT_ONCE: setting(
    '8',
    wholeNumber(1, 1000),
    'Maximum exports at once; further ones are answered 503 with Retry-After.',
  ),
  EXPORT_CONNECTIONS: optional(
    wholeNumber(1, 64),
    'Maximum connections that a large export copies with; without it as many as the machine has processor cores, but at most 4.',
  ),
  EXPORTS_DIVIDED_AT_ONCE: setting(
    '1',
    wholeNumber(0, 100),
    'Maximum exports at once that take more than one connection; while more exports run, each takes one.',
  ),
  EXPORT_TIMEOUT_SECONDS: setting(
    '3600',
    wholeNumber(1, 86_400),
    'Maximum duration of an export; then it is cut.',
  ),
  EXPORT_STALL_SECONDS: setting(
    '60',
    wholeNumber(1, 3600),
    'Seconds after which an export is cut when its reader takes less than 256 KiB.',
  ),
  REQUEST_TIMEOUT_SECONDS: setting(
    '30',
    wholeNumber(1, 3600),
    'Time for the database to answer a request, except exports; then it is answered 503.',
  ),
  JOBS_AT_ONCE: setting(
    '32',
    wholeNumber(1, 1000),
    'Maximum jobs at once in one process; further ones wait.',
  ),
  DELIVERIES: setting(
    'auto',
    oneOf('auto', 'send', 'hold'),
    'Whether jobs run and e-mails are sent: auto holds them in a copy of the database, send never holds them, hold always does.',
  ),
  ...httpSettings,
  ...fileSettings,
  DRAIN_SECONDS: setting(
    '0',
    wholeNumber(0, 3600),
    'Time after SIGTERM in which requests are still answered, so that a balancer finds out that the service is not ready.',
  ),
  SHUTDOWN_GRACE_SECONDS: setting(
    '30',
    wholeNumber(0, 3600),
    'Time for running requests and jobs to end after SIGTERM, and after DRAIN_SECONDS.',
  ),
  ...authSettings,
  NOTIFICATIONS_KEEP_SEEN_DAYS: setting(
    '180',
    wholeNumber(1, 36500),
    'Days after which seen notifications are removed.',
  ),
  NOTIFICATIONS_KEEP_DAYS: setting(
    '365',
    wholeNumber(1, 36500),
    'Days after which all notifications are removed.',
  ),
  AUDIT_DAYS: setting(
    '365',
    wholeNumber(1, 36500),
    'Days after which audit events are removed; the history of records stays.',
  ),
  ...emailSettings,
  ...webhookSettings,
  ...processSettings,
  LOG_LEVEL: setting(
    'info',
    oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
    'Minimum severity of the log.',
  ),
  // Named as by OpenTelemetry, whose packages read others of their own (docs/operations.md).
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    url('http:', 'https:'),
    'Address of an OpenTelemetry collector that gets traces by OTLP over HTTP, without `/v1/traces`; without it nothing is traced.',
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    '1',
    share,
    'Share of the traces that begin here and are kept, from 0 to 1; callers decide about theirs by the header `traceparent`.',
  ),
} satisfies Record<string, Setting<unknown>>

type Settings = typeof settings
type ValueOf<S> = S extends { read: (value: string) => infer T }
  ? Exclude<T, { readonly issue: string }>
  : never

/** Settings by name; those without a default may be undefined. */
export type Config = {
  readonly [Name in keyof Settings]: Settings[Name]['fallback'] extends string
    ? ValueOf<Settings[Name]>
    : ValueOf<Settings[Name]> | undefined
}

/** Reads the settings; throws one StartupError with every error. An empty value counts as absent. */
export const loadConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const errors: string[] = []
  const entries = Object.entries(settings).map(([name, { read, fallback }]) => {
    const source = environment[name] || fallback
    if (source === undefined) return [name, undefined]
    const value = (read as Parser<unknown>)(source)
    // Does not show values that may hold a password.
    const shown = /_(URLS?|KEY|TOKEN|SECRETS?)$/.test(name)
      ? ''
      : `; it is ${JSON.stringify(source)}`
    if (isIssue(value)) errors.push(`${name} ${value.issue}${shown}`)
    return [name, value]
  })
  const config = Object.fromEntries(entries) as Config
  if (config.AUTH_ISSUER !== undefined && config.AUTH_AUDIENCE === undefined)
    errors.push('AUTH_AUDIENCE is needed with AUTH_ISSUER')
  if (config.AUTH_BIND_BY_EMAIL === 'true' && config.AUTH_ISSUER === undefined)
    errors.push('AUTH_BIND_BY_EMAIL trusts the e-mails of AUTH_ISSUER, which is not set')
  if (config.AUTH_CLIENT_ID !== undefined && config.AUTH_ISSUER === undefined)
    errors.push('AUTH_CLIENT_ID is a client of AUTH_ISSUER, which is not set')
  if (config.AUTH_CLIENT_SECRET !== undefined && config.AUTH_CLIENT_ID === undefined)
    errors.push('AUTH_CLIENT_SECRET is the secret of AUTH_CLIENT_ID, which is not set')
  if (config.DATABASE_DIRECT_URL !== undefined && config.DATABASE_URL === undefined)
    errors.push(
      'DATABASE_DIRECT_URL is the database behind the pooler of DATABASE_URL, which is not set',
    )
  if (errors.length > 0)
    throw new StartupError(`The environment has errors:\n  ${errors.join('\n  ')}`)
  return config
}

/** PUBLIC_URL without a slash at its end; undefined when it is not set. */
export const publicUrl = ({ PUBLIC_URL }: Config): string | undefined =>
  PUBLIC_URL?.replace(/\/$/, '')

/** PUBLIC_URL, or HOST and the port; the Host header of a request is never trusted. */
export const publicUrlOf = (config: Config, port: number = config.PORT): string => {
  const { HOST, BASE_PATH } = config
  return (
    publicUrl(config) ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}${BASE_PATH}`
  )
}
