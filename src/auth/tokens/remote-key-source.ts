/**
 * The keys of an OpenID Connect issuer: discovery, then its key set. Loaded at the first token, renewed in
 * the background and at a token with an unknown key, kept while the issuer is unavailable.
 */
import { createLocalJWKSet } from 'jose'
import { type ApiError, apiError, errorText } from '../../errors.ts'
import type { IssuerKeys, KeySource } from './verify-token.ts'

type Options = {
  readonly issuer: string
  readonly now?: () => number
}

const renewAfterMs = 10 * 60_000
const retryAfterMs = 2_000
const answerWithinMs = 5_000
// Tokens with invented key names must not make the service query the issuer more often than this.
const unknownKeyPauseMs = 5_000

/** Creates the source; nothing is fetched before the first token. */
export const createRemoteKeySource = ({ issuer, now = Date.now }: Options): KeySource => {
  let keys: IssuerKeys | undefined
  let failure: ApiError | undefined
  let loading: Promise<IssuerKeys> | undefined
  let triedAt = 0
  const wasTriedWithin = (ms: number) => now() - triedAt < ms

  const load = (): Promise<IssuerKeys> => {
    if (loading !== undefined) return loading
    triedAt = now()
    loading = fetchKeys(issuer)
      .then(
        (fetched) => {
          failure = undefined
          keys = fetched
          return fetched
        },
        (error: unknown) => {
          failure = issuerUnavailable(issuer, error)
          throw failure
        },
      )
      .finally(() => {
        loading = undefined
      })
    return loading
  }

  return {
    current: async () => {
      if (!keys) {
        if (failure && wasTriedWithin(retryAfterMs)) throw failure
        return load()
      }
      // The current keys are used until newer ones have arrived; after an error the next use tries again.
      if (!wasTriedWithin(failure ? retryAfterMs : renewAfterMs)) load().catch(() => undefined)
      return keys
    },
    newerThan: async (tried) => {
      if (keys !== undefined && keys !== tried) return keys
      if (loading || !wasTriedWithin(unknownKeyPauseMs)) return load()
      if (failure) throw failure
      return undefined
    },
  }
}

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
