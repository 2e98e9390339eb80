/**
 * What channels share that post JSON to addresses of a setting, which rules name; to a webhook it is signed as Standard
 * Webhooks specifies (standardwebhooks.com, 1.0.0).
 */
import { createHmac } from 'node:crypto'
import { lookup } from 'node:dns'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import type { WebhookTarget } from '../../config/webhook-targets.ts'
import type { ChannelName } from '../../definitions/schemas/notification-rule.ts'
import { StartupError } from '../../errors.ts'
import { packageVersion } from '../../package-version.ts'
import type { ChannelOptions, OpenChannel, OutgoingEvent, PreparedDelivery } from '../channel.ts'
import { DeliveryError, type TakenDelivery } from '../delivery.ts'
import { networkText, readRetryAfter } from '../email/providers/ask-api.ts'

type Posting<Target> = {
  readonly name: ChannelName
  /** The setting that has the addresses. */
  readonly setting: string
  readonly targets: ReadonlyMap<string, Target>
  /** The name of the target of a rule. */
  readonly targetOf: (rule: OutgoingEvent['rule']) => string | undefined
  /** What is wrong with the setting, whatever the rules name. */
  readonly errors?: readonly string[]
  readonly prepare: (
    delivery: TakenDelivery,
    target: Target,
  ) => PreparedDelivery | Promise<PreparedDelivery>
}

/** Opens such a channel; throws at the start if the setting has errors, or lacks what a rule names. */
export const openPosting = <Target>(
  { config, catalog }: ChannelOptions,
  { name, setting, targets, targetOf, errors = [], prepare }: Posting<Target>,
): OpenChannel => {
  const lacking = [...catalog.entities.values()].flatMap(({ key, definition }) =>
    (definition.notifications ?? []).flatMap((rule, index) => {
      const target = targetOf(rule)
      return target === undefined || targets.has(target)
        ? []
        : [`${setting} lacks "${target}", which notifications[${index}] of "${key}" names`]
    }),
  )
  const all = [...errors, ...lacking]
  if (all.length > 0) throw new StartupError(`The environment has errors:\n  ${all.join('\n  ')}`)
  return {
    name,
    provider: name,
    maxConcurrent: config.WEBHOOKS_AT_ONCE,
    maxTries: config.WEBHOOK_MAX_TRIES,
    maxPerSecond: undefined,
    prepare: async (delivery) => {
      const target = targets.get(delivery.target ?? '')
      // The setting may be added again.
      if (!target)
        throw new DeliveryError(`${name}: ${setting} has no "${delivery.target}".`, {
          retryable: true,
        })
      return prepare(delivery, target)
    },
    close: async () => undefined,
  }
}

export type WebhookMessage = {
  /** The same for every attempt, so that receivers recognise repeated messages. */
  readonly id: string
  readonly body: string
}

// The standard recommends 15 to 30 seconds.
const answerWithinMs = 20_000
const maxAnswerBytes = 65_536

/** Resolves when the receiver has answered 2xx; throws a DeliveryError. */
export const postWebhook = (
  target: WebhookTarget,
  { id, body }: WebhookMessage,
  signal: AbortSignal,
): Promise<void> => {
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign(target.secret, `${id}.${timestamp}.${body}`),
  }
  return postJson(target, { channel: 'webhook', body, headers }, signal)
}

type JsonTarget = Pick<WebhookTarget, 'url' | 'allowsPrivate'>

type JsonMessage = {
  /** Its errors begin with this name. */
  readonly channel: ChannelName
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Posts as postWebhook does. Errors name at most the host, because the path may be a secret. */
export const postJson = async (
  target: JsonTarget,
  message: JsonMessage,
  signal: AbortSignal,
): Promise<void> => {
  const { channel } = message
  if (!target.allowsPrivate) assertPublicHost(target.url)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)])
  const { status, retryAfter } = await post(target, message, limit).catch((error) => {
    if (error instanceof DeliveryError) throw error
    const why = limit.aborted ? `no answer within ${answerWithinMs / 1000} s` : networkText(error)
    throw new DeliveryError(`${channel}: ${why}`, { retryable: true, cause: error })
  })
  if (status >= 200 && status < 300) return
  const hint = status >= 300 && status < 400 ? '; redirects are not followed' : ''
  // Only 410 is final; the receiver may correct everything else.
  throw new DeliveryError(`${channel}: ${status}${hint}`, {
    retryable: status !== 410,
    retryAfterMs: readRetryAfter(retryAfter),
  })
}

type Answer = { readonly status: number; readonly retryAfter: string | undefined }

const post = (
  { url, allowsPrivate }: JsonTarget,
  { body, headers: own }: JsonMessage,
  signal: AbortSignal,
): Promise<Answer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const sent = send(url, {
    method: 'POST',
    signal,
    ...(!allowsPrivate && { lookup: lookupPublic }),
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'User-Agent': `docket/${packageVersion()}`,
      ...own,
    },
  })
  sent.on('error', reject)
  sent.on('response', (response) => {
    const { statusCode: status = 0, headers } = response
    resolve({ status, retryAfter: headers['retry-after'] })
    let bytes = 0
    response.on('error', () => undefined)
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxAnswerBytes) response.destroy()
    })
  })
  sent.end(body)
  return promise
}

/** HMAC-SHA256 in base64, with the version of the scheme. */
const sign = (secret: Uint8Array, content: string): string =>
  `v1,${createHmac('sha256', secret).update(content).digest('base64')}`

// IANA, "Special-Purpose Address Registry" of both families, with multicast.
const ipv4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]
// Also ranges that contain an address of the other family, and the former ones of a site (fec0::/10).
const ipv6 = [
  ...[
    '::/96',
    '::ffff:0:0/96',
    '::ffff:0:0:0/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '100::/64',
    '2001::/23',
  ],
  ...['2001:db8::/32', '2002::/16', '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/9', 'ff00::/8'],
]

const listOf = (family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits = ''] = range.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

// A single list would find every IPv4 address in the range of mapped IPv6 addresses.
const special = { ipv4: listOf('ipv4', ipv4), ipv6: listOf('ipv6', ipv6) }

/** Whether an IP address is public. */
export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  return !special[family].check(address, family)
}

const refusal = (hostname: string) =>
  new DeliveryError(
    `webhook: ${hostname} has no public address; WEBHOOK_PRIVATE_ADDRESSES=true allows others.`,
    { retryable: false },
  )

/** Rejects a URL with an address that is not public; a name is looked up when it is connected to. */
const assertPublicHost = ({ hostname }: URL): void => {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) !== 0 && !isPublicAddress(address)) throw refusal(hostname)
}

/**
 * Looks up a name and returns only its public addresses. It is called for each connection, so a name cannot
 * change to a private address later.
 */
const lookupPublic: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '')
    const open = addresses.filter(({ address }) => isPublicAddress(address))
    const [first] = open
    if (!first) return done(refusal(hostname), '')
    return options.all ? done(null, open) : done(null, first.address, first.family)
  })
}
