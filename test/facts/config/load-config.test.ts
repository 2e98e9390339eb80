/** Settings: defaults, accepted values of each, and all errors together. */
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { emailTransportOf } from '../../../src/config/email-transport.ts'
import { loadConfig, settings } from '../../../src/config/load-config.ts'
import { StartupError } from '../../../src/errors.ts'

const errorsOf = (environment: Record<string, string>): string[] => {
  try {
    loadConfig(environment)
    return []
  } catch (error) {
    assert.ok(error instanceof StartupError)
    const [head, ...errors] = error.message.split('\n')
    assert.equal(head, 'The environment has errors:')
    return errors.map((one) => one.trim())
  }
}

// The documentation has the defaults, which are read like what is given.
test('an empty environment gives the defaults, numbers as numbers', () => {
  const config = loadConfig({})
  assert.equal(config.PROJECT, resolve('example'))
  assert.deepEqual([config.PORT, config.OTEL_TRACES_SAMPLER_ARG], [3000, 1])
  for (const [name, { fallback }] of Object.entries(settings))
    if (fallback === undefined) assert.equal(config[name as keyof typeof config], undefined)
    else assert.deepEqual(loadConfig({ [name]: fallback }), config, name)
})

test('a provider is named in any case, and rejected with all of its settings that are missing', () => {
  assert.equal(loadConfig({ EMAIL_PROVIDER: 'SENDGRID' }).EMAIL_PROVIDER, 'sendgrid')
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

test('empty values count as absent, and variables that are not settings are ignored', () => {
  const empty = Object.fromEntries(Object.keys(settings).map((name) => [name, '']))
  assert.deepEqual(loadConfig({ ...empty, PATH: '/bin', PORTS: 'x' }), loadConfig({}))
})

const whole = (min: number, max: number) => `must be a whole number between ${min} and ${max}`
const postgres = 'must be a URL beginning with postgres:// or postgresql://'
const path = 'must be empty or a path such as /docket, without a slash at its end'
const zone = 'must be an IANA time zone, such as Europe/Zagreb'
const address = 'must be an e-mail address, such as anna@example.com'

type Row = readonly [
  name: keyof typeof settings,
  right: Readonly<Record<string, unknown>>,
  wrong: readonly string[],
  message: string,
]
const table: readonly Row[] = [
  [
    'PORT',
    { 0: 0, 65535: 65535, '0080': 80 },
    ['65536', '-1', '80.5', '0x50', '8e1', ' 80', 'http'],
    whole(0, 65535),
  ],
  ['DATABASE_POOL_SIZE', { 2: 2 }, ['1', '1001', 'many'], whole(2, 1000)],
  ['JOBS_POOL_SIZE', { 1: 1 }, ['0', '1001'], whole(1, 1000)],
  ['JOBS_QUEUE_POOL_SIZE', { 2: 2 }, ['1', '101'], whole(2, 100)],
  ['JOBS_BATCH_POOL_SIZE', { 1: 1 }, ['0', '101'], whole(1, 100)],
  ['EMAILS_POOL_SIZE', { 1: 1 }, ['0', '101'], whole(1, 100)],
  ['SCHEMA_WAIT_SECONDS', { 1: 1 }, ['0', '86401', 'long'], whole(1, 86400)],
  ['EXPORTS_AT_ONCE', { 1: 1 }, ['0', '1001'], whole(1, 1000)],
  ['EXPORT_CONNECTIONS', { 1: 1 }, ['0', '65'], whole(1, 64)],
  ['EXPORTS_DIVIDED_AT_ONCE', { 0: 0 }, ['101'], whole(0, 100)],
  ['DELIVERIES', { hold: 'hold' }, ['yes', 'HOLD'], 'must be one of auto, send, hold'],
  ['DATABASE_WAIT_SECONDS', { 0: 0 }, ['3601'], whole(0, 3600)],
  ['EXPORT_TIMEOUT_SECONDS', { 1: 1 }, ['0', '86401'], whole(1, 86400)],
  ['EXPORT_STALL_SECONDS', { 1: 1 }, ['0', '3601'], whole(1, 3600)],
  ['REQUEST_TIMEOUT_SECONDS', { 1: 1 }, ['0', '3601'], whole(1, 3600)],
  ['BODY_LIMIT_BYTES', { 1024: 1024 }, ['1023', '1073741825', '4 MB'], whole(1024, 1073741824)],
  ['DRAIN_SECONDS', { 0: 0 }, ['3601', 'soon'], whole(0, 3600)],
  ['SHUTDOWN_GRACE_SECONDS', { 0: 0 }, ['3601'], whole(0, 3600)],
  [
    'BASE_PATH',
    { '/docket': '/docket', '/a/b.c': '/a/b.c' },
    ['docket', '/docket/', '/', '//', '/a b', '/a?b'],
    path,
  ],
  ['TIME_ZONE', { 'Europe/Zagreb': 'Europe/Zagreb', UTC: 'UTC' }, ['Mars', 'Europe/'], zone],
  [
    'LOG_LEVEL',
    { silent: 'silent' },
    ['loud', 'INFO'],
    'must be one of silent, fatal, error, warn, info, debug, trace',
  ],
  [
    'OTEL_TRACES_SAMPLER_ARG',
    { 0: 0, '.05': 0.05, '1.0': 1 },
    ['1.5', '-0.1', '5%', '1e-1'],
    'must be a number between 0 and 1, such as 0.05',
  ],
  ['ADMIN_EMAIL', { 'Maria@Example.COM': 'maria@example.com' }, ['anna', 'a b@c', '@'], address],
]
for (const [name, right, wrong, message] of table)
  test(`${name} ${message}`, () => {
    for (const [text, value] of Object.entries(right))
      assert.equal(loadConfig({ [name]: text })[name], value)
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

test('ways of signing in are separated by commas, or none', () => {
  assert.deepEqual(loadConfig({ SIGN_IN: 'password,code' }).SIGN_IN, ['password', 'code'])
  assert.deepEqual(loadConfig({ SIGN_IN: 'code, passkey' }).SIGN_IN, ['code', 'passkey'])
  assert.deepEqual(loadConfig({ SIGN_IN: 'none' }).SIGN_IN, [])
  assert.equal(loadConfig({ SIGN_IN: '' }).SIGN_IN, undefined)
  for (const text of ['true', 'password,', 'none,code', 'code,code', ','])
    assert.deepEqual(errorsOf({ SIGN_IN: text }), [
      `SIGN_IN must be none, or some of password, passkey and code, separated by commas; it is ${JSON.stringify(text)}`,
    ])
})

test('all errors are reported together, in the order of the settings', () => {
  const found = errorsOf({ LOG_LEVEL: 'loud', PORT: 'x', DATABASE_URL: 'y', AUTH_ISSUER: 'z' })
  assert.deepEqual(
    found.map((one) => one.split(' ')[0]),
    ['PORT', 'DATABASE_URL', 'AUTH_ISSUER', 'LOG_LEVEL', 'AUTH_AUDIENCE'],
  )
})

test('e-mails of an issuer are not trusted without an issuer', () => {
  assert.throws(() => loadConfig({ AUTH_BIND_BY_EMAIL: 'true' }), /AUTH_BIND_BY_EMAIL trusts/)
  assert.throws(() => loadConfig({ AUTH_BIND_BY_EMAIL: 'yes' }), /must be one of true, false/)
})

test('a direct address needs the address of the pooler', () => {
  const url = 'postgres://localhost/docket'
  assert.deepEqual(errorsOf({ DATABASE_DIRECT_URL: url }), [
    'DATABASE_DIRECT_URL is the database behind the pooler of DATABASE_URL, which is not set',
  ])
  assert.deepEqual(errorsOf({ DATABASE_DIRECT_URL: url, DATABASE_URL: url }), [])
})

test('an issuer needs an audience', () => {
  const AUTH_ISSUER = 'https://issuer.example'
  assert.deepEqual(errorsOf({ AUTH_ISSUER }), ['AUTH_AUDIENCE is needed with AUTH_ISSUER'])
  assert.deepEqual(errorsOf({ AUTH_ISSUER, AUTH_AUDIENCE: 'docket' }), [])
  assert.deepEqual(errorsOf({ AUTH_CLIENT_ID: 'console', AUTH_CLIENT_SECRET: 'x' }), [
    'AUTH_CLIENT_ID is a client of AUTH_ISSUER, which is not set',
  ])
  assert.deepEqual(errorsOf({ AUTH_CLIENT_SECRET: 'x' }), [
    'AUTH_CLIENT_SECRET is the secret of AUTH_CLIENT_ID, which is not set',
  ])
  assert.deepEqual(errorsOf({ AUTH_ISSUER: 'issuer', AUTH_AUDIENCE: 'docket' }), [
    'AUTH_ISSUER must be a URL beginning with https:// or http://; it is "issuer"',
  ])
})

test('proxies are addresses or networks, and a token of metrics has a minimum length', () => {
  const { TRUST_PROXY } = loadConfig({ TRUST_PROXY: '10.0.0.0/8, 192.168.1.1,fd00::/8' })
  for (const address of ['10.1.2.3', '192.168.1.1']) assert.ok(TRUST_PROXY?.check(address), address)
  assert.ok(TRUST_PROXY?.check('fd12::1', 'ipv6'))
  for (const address of ['11.0.0.1', '192.168.1.2']) assert.ok(!TRUST_PROXY?.check(address))
  for (const wrong of ['true', '1', '10.0.0.0/33', '10.0.0', '10.0.0.1,', 'fd00::/129', 'proxy'])
    assert.match(errorsOf({ TRUST_PROXY: wrong })[0] ?? '', /^TRUST_PROXY must be addresses/)
  const [error] = errorsOf({ METRICS_TOKEN: 'short' })
  assert.equal(error, 'METRICS_TOKEN must be 16 or more visible ASCII characters')
})

const secret = `whsec_${Buffer.alloc(24).toString('base64')}`

test('webhooks are pairs of a name and a URL, and of the name and a secret', () => {
  const { WEBHOOK_URLS: urls, WEBHOOK_SECRETS: secrets } = loadConfig({
    WEBHOOK_URLS: ' erp=https://erp.example.com/a?b=c,d=e  chat-2=http://10.0.0.1/ ',
    WEBHOOK_SECRETS: `erp=${secret}`,
  })
  assert.deepEqual(
    [...(urls ?? [])],
    [
      ['erp', 'https://erp.example.com/a?b=c,d=e'],
      ['chat-2', 'http://10.0.0.1/'],
    ],
  )
  assert.deepEqual([...(secrets ?? [])], [['erp', secret]])
})

test('an invalid pair is rejected, and neither address nor secret is shown', () => {
  const addresses = 'must be pairs such as name=https://erp.example.com/hooks'
  for (const wrong of [
    'https://x.example',
    'ERP=https://x.example',
    'a=ftp://x',
    'a=https://x a=https://y',
  ])
    assert.deepEqual(errorsOf({ WEBHOOK_URLS: wrong }), [
      `WEBHOOK_URLS ${addresses}, separated by blanks, each name once`,
    ])
  assert.deepEqual(errorsOf({ SLACK_ROOM_URLS: 'Room=https://x.example/hidden' }), [
    'SLACK_ROOM_URLS must be pairs such as name=https://hooks.slack.com/services/T0/B0/secret, separated by blanks, each name once',
  ])
  const short = `whsec_${Buffer.alloc(23).toString('base64')}`
  for (const wrong of ['erp=secret', `erp=${short}`, `${secret}`])
    assert.deepEqual(errorsOf({ WEBHOOK_SECRETS: wrong }), [
      'WEBHOOK_SECRETS must be pairs such as name=whsec_<24 to 64 bytes in base64>, separated by blanks, each name once',
    ])
})
