/**
 * Posts JSON to the address of a setting; to a webhook signed as Standard Webhooks specifies (standardwebhooks.com, 1.0.0).
 */
import { createHmac } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { WebhookTarget } from '../../config/webhook-targets.ts'
import type { ChannelName } from '../../definitions/schemas/notification-rule.ts'
import { packageVersion } from '../../package-version.ts'
import { DeliveryError } from '../../retry-policy.ts'
import { networkText, readRetryAfter } from '../email/providers/ask-api.ts'
import { assertPublicHost, lookupPublic } from './public-address.ts'

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

export type JsonTarget = Pick<WebhookTarget, 'url' | 'allowsPrivate'>

type JsonMessage = {
  /** With which its errors begin. */
  readonly channel: ChannelName
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** As postWebhook. Errors name the host at most, since the path may be a secret. */
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
