/** Settings: defaults, accepted values of each, and all errors together. */
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { emailTransportOf } from '../../../src/config/email-transport.ts'
import { loadConfig, settings } from '../../../src/config/load-config.ts'
import { errorsOf } from './errors-of.ts'

test('an empty environment gives the defaults', () => {
  assert.deepEqual(loadConfig({}), {
    PROJECT: resolve('example'),
    HOST: '127.0.0.1',
    PORT: 3000,
    BASE_PATH: '',
    TIME_ZONE: undefined,
    DATABASE_URL: undefined,
    DATABASE_DIRECT_URL: undefined,
    DATABASE_REPLICA_URL: undefined,
    DATABASE_EXPORT_URL: undefined,
    DATABASE_REPLICA_LAG_SECONDS: 5,
    FEED_DATABASE_URL: undefined,
    FEED_DATABASE_FORMER_URL: undefined,
    DATABASE_POOL_SIZE: 10,
    JOBS_POOL_SIZE: 8,
    JOBS_QUEUE_POOL_SIZE: 4,
    JOBS_BATCH_POOL_SIZE: 4,
    EMAILS_POOL_SIZE: 3,
    SCHEMA_WAIT_SECONDS: 60,
    DATABASE_WAIT_SECONDS: 30,
    EXPORTS_AT_ONCE: 8,
    EXPORT_CONNECTIONS: undefined,
    EXPORTS_DIVIDED_AT_ONCE: 1,
    EXPORT_TIMEOUT_SECONDS: 3600,
    EXPORT_STALL_SECONDS: 60,
    REQUEST_TIMEOUT_SECONDS: 30,
    JOBS_AT_ONCE: 32,
    DELIVERIES: 'auto',
    BODY_LIMIT_BYTES: 4194304,
    BODY_TIMEOUT_SECONDS: 30,
    READER_TIMEOUT_SECONDS: 60,
    CONNECTIONS_AT_ONCE: 10_000,
    CONNECTIONS_PER_ADDRESS: 1000,
    REQUESTS_PER_CALLER: 60_000,
    REQUESTS_PER_ADDRESS: 300_000,
    WRONG_CREDENTIALS_PER_ADDRESS: 100,
    TRUST_PROXY: undefined,
    CORS_ORIGINS: undefined,
    METRICS_TOKEN: undefined,
    DRAIN_SECONDS: 0,
    SHUTDOWN_GRACE_SECONDS: 30,
    AUTH_ISSUER: undefined,
    AUTH_AUDIENCE: undefined,
    AUTH_PROVISION_ROLE: undefined,
    AUTH_BIND_BY_EMAIL: 'false',
    AUTH_CLIENT_ID: undefined,
    AUTH_CLIENT_SECRET: undefined,
    SESSION_HOURS: 12,
    SESSION_IDLE_MINUTES: 0,
    ADMIN_EMAIL: 'admin@example.com',
    NOTIFICATIONS_KEEP_SEEN_DAYS: 180,
    NOTIFICATIONS_KEEP_DAYS: 365,
    PUBLIC_URL: undefined,
    EMAIL_PROVIDER: 'file',
    EMAIL_FROM: 'docket@localhost',
    EMAIL_FROM_NAME: undefined,
    EMAIL_REPLY_TO: undefined,
    EMAILS_AT_ONCE: 5,
    EMAIL_MAX_TRIES: 8,
    EMAIL_MAX_PER_SECOND: undefined,
    ATTACHMENTS_MAX_BYTES: 20_971_520,
    SMTP_URL: undefined,
    SENDGRID_API_KEY: undefined,
    SENDGRID_API_URL: 'https://api.sendgrid.com/',
    MAILGUN_API_KEY: undefined,
    MAILGUN_DOMAIN: undefined,
    MAILGUN_API_URL: 'https://api.mailgun.net',
    POSTMARK_SERVER_TOKEN: undefined,
    POSTMARK_API_URL: 'https://api.postmarkapp.com',
    SES_REGION: undefined,
    SES_ACCESS_KEY_ID: undefined,
    SES_SECRET_ACCESS_KEY: undefined,
    SES_API_URL: undefined,
    WORKFLOW_NOTIFICATION_FILE_DEFAULT_TEMPLATE_ID: undefined,
    WORKFLOW_NOTIFICATION_SMTP_DEFAULT_TEMPLATE_ID: undefined,
    WORKFLOW_NOTIFICATION_SENDGRID_DEFAULT_TEMPLATE_ID: undefined,
    WORKFLOW_NOTIFICATION_MAILGUN_DEFAULT_TEMPLATE_ID: undefined,
    WORKFLOW_NOTIFICATION_POSTMARK_DEFAULT_TEMPLATE_ID: undefined,
    WORKFLOW_NOTIFICATION_SES_DEFAULT_TEMPLATE_ID: undefined,
    DOCUMENTS_MAX_PROCESSES: undefined,
    DOCUMENTS_MAX_WAITING: 1000,
    DOCUMENTS_MAX_WAITING_PER_CALLER: 20,
    DOCUMENTS_TIMEOUT_SECONDS: 30,
    DOCUMENTS_MAX_MEMORY_MIB: 2048,
    FUNCTIONS_MAX_PROCESSES: undefined,
    FUNCTIONS_MAX_WAITING: 1000,
    FUNCTIONS_LOAD_TIMEOUT_SECONDS: 10,
    WEBHOOK_URLS: undefined,
    WEBHOOK_SECRETS: undefined,
    WEBHOOK_PRIVATE_ADDRESSES: 'false',
    WEBHOOKS_AT_ONCE: 5,
    WEBHOOK_MAX_TRIES: 8,
    FUNCTIONS_MAX_MEMORY_MIB: 256,
    FUNCTIONS_MAX_DOCUMENT_BYTES: 104_857_600,
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
    OTEL_TRACES_SAMPLER_ARG: 1,
  })
})

test('a provider is named in lower or upper case', () => {
  assert.equal(loadConfig({ EMAIL_PROVIDER: 'SENDGRID' }).EMAIL_PROVIDER, 'sendgrid')
})

test('a provider without its settings is rejected, and all missing settings are named', () => {
  for (const [provider, names] of [
    ['smtp', ['SMTP_URL', 'EMAIL_FROM']],
    ['sendgrid', ['SENDGRID_API_KEY', 'EMAIL_FROM']],
    ['mailgun', ['MAILGUN_API_KEY', 'MAILGUN_DOMAIN', 'EMAIL_FROM']],
    ['postmark', ['POSTMARK_SERVER_TOKEN', 'EMAIL_FROM']],
    ['ses', ['SES_REGION', 'EMAIL_FROM']],
  ] as const)
    assert.throws(
      () => emailTransportOf(loadConfig({ EMAIL_PROVIDER: provider })),
      (error: Error) =>
        names.every((name) =>
          error.message.includes(`${name} is needed with EMAIL_PROVIDER=${provider}`),
        ),
    )
})

test('an empty value counts as absent', () => {
  const empty = Object.fromEntries(Object.keys(settings).map((name) => [name, '']))
  assert.deepEqual(loadConfig(empty), loadConfig({}))
})

test('variables that are not settings are ignored', () => {
  assert.deepEqual(loadConfig({ PATH: '/bin', PORTS: 'x' }), loadConfig({}))
})

const whole = (min: number, max: number) => `must be a whole number between ${min} and ${max}`
const postgres = 'must be a URL beginning with postgres:// or postgresql://'
const path = 'must be empty or a path such as /docket, without a slash at its end'
const zone = 'must be an IANA time zone, such as Europe/Zagreb'
const address = 'must be an e-mail address, such as anna@example.com'

const table: readonly [
  name: keyof typeof settings,
  right: [string, unknown][],
  wrong: string[],
  message: string,
][] = [
  [
    'PORT',
    [
      ['0', 0],
      ['65535', 65535],
      ['0080', 80],
    ],
    ['65536', '-1', '80.5', '0x50', '8e1', ' 80', 'http'],
    whole(0, 65535),
  ],
  ['DATABASE_POOL_SIZE', [['2', 2]], ['1', '1001', 'many'], whole(2, 1000)],
  ['JOBS_POOL_SIZE', [['1', 1]], ['0', '1001'], whole(1, 1000)],
  ['JOBS_QUEUE_POOL_SIZE', [['2', 2]], ['1', '101'], whole(2, 100)],
  ['JOBS_BATCH_POOL_SIZE', [['1', 1]], ['0', '101'], whole(1, 100)],
  ['EMAILS_POOL_SIZE', [['1', 1]], ['0', '101'], whole(1, 100)],
  ['SCHEMA_WAIT_SECONDS', [['1', 1]], ['0', '86401', 'long'], whole(1, 86400)],
  ['EXPORTS_AT_ONCE', [['1', 1]], ['0', '1001'], whole(1, 1000)],
  ['EXPORT_CONNECTIONS', [['1', 1]], ['0', '65'], whole(1, 64)],
  ['EXPORTS_DIVIDED_AT_ONCE', [['0', 0]], ['101'], whole(0, 100)],
  ['DELIVERIES', [['hold', 'hold']], ['yes', 'HOLD'], 'must be one of auto, send, hold'],
  ['DATABASE_WAIT_SECONDS', [['0', 0]], ['3601'], whole(0, 3600)],
  ['EXPORT_TIMEOUT_SECONDS', [['1', 1]], ['0', '86401'], whole(1, 86400)],
  ['EXPORT_STALL_SECONDS', [['1', 1]], ['0', '3601'], whole(1, 3600)],
  ['REQUEST_TIMEOUT_SECONDS', [['1', 1]], ['0', '3601'], whole(1, 3600)],
  ['BODY_LIMIT_BYTES', [['1024', 1024]], ['1023', '1073741825', '4 MB'], whole(1024, 1073741824)],
  ['DRAIN_SECONDS', [['0', 0]], ['3601', 'soon'], whole(0, 3600)],
  ['SHUTDOWN_GRACE_SECONDS', [['0', 0]], ['3601'], whole(0, 3600)],
  [
    'BASE_PATH',
    [
      ['/docket', '/docket'],
      ['/a/b.c', '/a/b.c'],
    ],
    ['docket', '/docket/', '/', '//', '/a b', '/a?b'],
    path,
  ],
  [
    'TIME_ZONE',
    [
      ['Europe/Zagreb', 'Europe/Zagreb'],
      ['UTC', 'UTC'],
    ],
    ['Mars', 'Europe/'],
    zone,
  ],
  [
    'LOG_LEVEL',
    [['silent', 'silent']],
    ['loud', 'INFO'],
    'must be one of silent, fatal, error, warn, info, debug, trace',
  ],
  [
    'OTEL_TRACES_SAMPLER_ARG',
    [
      ['0', 0],
      ['.05', 0.05],
      ['1.0', 1],
    ],
    ['1.5', '-0.1', '5%', '1e-1'],
    'must be a number between 0 and 1, such as 0.05',
  ],
  ['ADMIN_EMAIL', [['anna@example.com', 'anna@example.com']], ['anna', 'a b@c', '@'], address],
]
for (const [name, right, wrong, message] of table)
  test(`${name} ${message}`, () => {
    for (const [text, value] of right) assert.equal(loadConfig({ [name]: text })[name], value)
    for (const text of wrong)
      assert.deepEqual(errorsOf({ [name]: text }), [
        `${name} ${message}; it is ${JSON.stringify(text)}`,
      ])
  })

for (const [name, several] of [
  ['DATABASE_URL', false],
  ['DATABASE_REPLICA_URL', true],
  ['DATABASE_EXPORT_URL', true],
] as const)
  test(`${name} ${postgres}, and its value is not shown, because it contains a password`, () => {
    const url = 'postgresql://anna:secret@localhost:5432/docket'
    assert.deepEqual(loadConfig({ [name]: url })[name], several ? [url] : url)
    for (const text of ['mysql://anna:secret@localhost', 'anna:secret', 'localhost'])
      assert.deepEqual(errorsOf({ [name]: text }), [`${name} ${postgres}`])
  })

test('replicas are separated by blanks, and each counts once', () => {
  const [one, other] = ['postgres://a/shop', 'postgres://b/shop']
  const { DATABASE_REPLICA_URL } = loadConfig({ DATABASE_REPLICA_URL: ` ${one}\n ${other} ${one}` })
  assert.deepEqual(DATABASE_REPLICA_URL, [one, other])
  for (const text of [`${one} b`, `${one} mysql://b`, ' '])
    assert.deepEqual(errorsOf({ DATABASE_REPLICA_URL: text }).length, 1, text)
})

test('all errors are reported together, in the order of the settings', () => {
  const found = errorsOf({ LOG_LEVEL: 'loud', PORT: 'x', DATABASE_URL: 'y', AUTH_ISSUER: 'z' })
  assert.deepEqual(
    found.map((one) => one.split(' ')[0]),
    ['PORT', 'DATABASE_URL', 'AUTH_ISSUER', 'LOG_LEVEL', 'AUTH_AUDIENCE'],
  )
})

test('the e-mail of the administrator is in lower case, as those of all users', () => {
  assert.equal(loadConfig({ ADMIN_EMAIL: 'Maria@Example.COM' }).ADMIN_EMAIL, 'maria@example.com')
})

test('e-mails of an issuer are not trusted without an issuer', () => {
  assert.throws(() => loadConfig({ AUTH_BIND_BY_EMAIL: 'true' }), /AUTH_BIND_BY_EMAIL trusts/)
  assert.throws(() => loadConfig({ AUTH_BIND_BY_EMAIL: 'yes' }), /must be one of true, false/)
})
