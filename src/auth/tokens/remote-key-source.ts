/**
 * The keys of an OpenID Connect issuer: discovery, then its key set. Loaded at the first token, renewed in
 * the background and at a token with an unknown key, kept while the issuer is unavailable.
 */
import { createLocalJWKSet } from 'jose'
import { apiError, errorText } from '../../errors.ts'
import { answerWithinMs, createFromIssuer, retryAfterMs } from './from-issuer.ts'
import type { IssuerKeys, KeySource } from './verify-token.ts'

type Options = {
  readonly issuer: string
  readonly now?: () => number
}

/** Creates the source; nothing is fetched before the first token. */
export const createRemoteKeySource = ({ issuer, now }: Options): KeySource =>
  createFromIssuer({
    load: () => fetchKeys(issuer),
    failedBy: (error) => issuerUnavailable(issuer, error),
    now,
  })

const fetchKeys = async (issuer: string): Promise<IssuerKeys> => {
  const address = withoutSlash(issuer)
  const discovery = await fetchObject(`${address}/.well-known/openid-configuration`)
  const { issuer: name, jwks_uri: keysAt } = discovery
  // Some issuers' names end with a slash, which users omit in the setting. Only this difference is
  // accepted.
  if (typeof name !== 'string' || withoutSlash(name) !== address)
    throw new Error('its discovery document names another issuer')
  if (typeof keysAt !== 'string') throw new Error('its discovery document names no jwks_uri')
  const { keys } = await fetchObject(keysAt)
  if (!Array.isArray(keys)) throw new Error('its key set has no keys')
  return { issuer: name, keyOf: createLocalJWKSet({ keys }) }
}

/** An address without a slash at its end. */
export const withoutSlash = (address: string): string => address.replace(/\/$/, '')

const fetchObject = async (address: string): Promise<Record<string, unknown>> => {
  const response = await fetch(address, {
    headers: { Accept: 'application/json' },
    signal: AbortSignal.timeout(answerWithinMs),
  })
  if (!response.ok) throw new Error(`it answers ${response.status} for ${address}`)
  return (await response.json()) as Record<string, unknown>
}

const issuerUnavailable = (issuer: string, cause: unknown) =>
  apiError(
    'issuer.unavailable',
    `The keys of ${issuer} are not available now: ${errorText(cause)}.`,
    {
      headers: { 'Retry-After': String(retryAfterMs / 1000) },
      cause,
    },
  )
