/**
 * From a JWT to its claims: signature, issuer, audience and times are checked. A valid token is cached,
 * because its check costs more than the rest of a small read.
 */
import { hash } from 'node:crypto'
import { decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { createBoundedCache } from '../../bounded-cache.ts'
import { ApiError } from '../../errors.ts'
import { invalidToken, isUnauthorized } from '../unauthorized.ts'

/** What a valid token says about its bearer. */
export type Claims = {
  readonly subject: string
  readonly email: string | undefined
  /** Whether the issuer has verified that the e-mail is the bearer's; undefined if it does not say. */
  readonly isEmailVerified: boolean | undefined
  readonly givenName: string | undefined
  readonly familyName: string | undefined
  readonly name: string | undefined
}

/**
 * Returns the claims of a valid token; throws an error 401, or 503 while there are no keys. `beforeCheck`
 * is called before the check of a token that was not valid before.
 */
export type VerifyToken = (token: string, beforeCheck?: () => Promise<void>) => Promise<Claims>

/** The public keys of an issuer at one moment. */
export type IssuerKeys = {
  /** What the claim `iss` of a token must be. */
  readonly issuer: string
  /** The key of a token; rejects if there is none. */
  readonly keyOf: JWTVerifyGetKey
}

/** Where the keys come from. */
export type KeySource = {
  /** The last known keys; an error 503 while there are none. */
  readonly current: () => Promise<IssuerKeys>
  /** Newer keys than those tried without success; undefined if there cannot be any yet. */
  readonly newerThan: (tried: IssuerKeys) => Promise<IssuerKeys | undefined>
}

type Options = {
  readonly keys: KeySource
  readonly audience: string
  readonly now?: () => number
}

type Known = { readonly claims: Claims; readonly untilMs: number }

// Only asymmetric algorithms: with HS256 the public key would be the secret.
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
const toleranceSeconds = 5
const knownTokens = 10_000
// A key that the issuer withdraws must not stay valid for cached tokens.
const rememberedMs = 10 * 60_000

/** Creates the check of tokens for one issuer and audience. */
export const createVerifyToken = ({ keys, audience, now = Date.now }: Options): VerifyToken => {
  const known = createBoundedCache<Known>(knownTokens)
  const check = (token: string, { issuer, keyOf }: IssuerKeys) =>
    jwtVerify(token, keyOf, {
      issuer,
      audience,
      algorithms,
      clockTolerance: toleranceSeconds,
      currentDate: new Date(now()),
      requiredClaims: ['exp', 'sub'],
    })
  return async (token, beforeCheck) => {
    const digest = hash('sha256', token, 'base64url')
    const found = known.get(digest)
    if (found && now() < found.untilMs) return found.claims
    // A token that was valid before does not count as a guess: it is checked again, whatever else its
    // address sends.
    if (!found) await beforeCheck?.()
    const current = await keys.current()
    refuseOtherIssuer(token, current.issuer)
    const { payload, protectedHeader } = await check(token, current)
      .catch(async (error: unknown) => {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        const newer = await keys.newerThan(current)
        if (!newer) throw error
        return check(token, newer)
      })
      .catch(refuse)
      .catch((error: unknown) => {
        if (isUnauthorized(error)) known.delete(digest)
        throw error
      })
    assertAccessToken(protectedHeader.typ)
    const claims = claimsOf(payload)
    const expiresMs = ((payload.exp ?? 0) + toleranceSeconds) * 1000
    known.set(digest, { claims, untilMs: Math.min(expiresMs, now() + rememberedMs) })
    return claims
  }
}

// Before the signature: a token of another issuer must not make us query ours for new keys.
const refuseOtherIssuer = (token: string, issuer: string): void => {
  let payload: JWTPayload
  try {
    payload = decodeJwt(token)
  } catch {
    throw invalidToken(notJwt)
  }
  if (payload.iss !== issuer) throw invalidToken(claimDetails.iss)
}

const notJwt = 'The token is neither a signed JWT nor an API key.'

const claimDetails = {
  iss: 'The token was not issued by AUTH_ISSUER.',
  aud: 'The token is not for this audience (AUTH_AUDIENCE).',
  nbf: 'The token is not valid yet.',
  exp: 'The token does not say when it expires (claim "exp").',
  sub: 'The token does not name a subject (claim "sub").',
  cnf: 'The token is bound to a key (claim "cnf"); only bearer tokens are accepted.',
} as const

const codeDetails: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'The token has expired.',
  ERR_JOSE_ALG_NOT_ALLOWED: 'The token is not signed with an asymmetric algorithm.',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The signature of the token is wrong.',
  ERR_JWKS_NO_MATCHING_KEY: 'The token is signed with a key that its issuer does not publish.',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'The token does not name the key it is signed with ("kid").',
}

const refuse = (error: unknown): never => {
  if (error instanceof ApiError) throw error
  if (error instanceof errors.JWTClaimValidationFailed)
    throw invalidToken(
      claimDetails[error.claim as keyof typeof claimDetails] ??
        `The claim "${error.claim}" of the token is not accepted.`,
    )
  const code = error instanceof errors.JOSEError ? error.code : ''
  throw invalidToken(codeDetails[code] ?? notJwt)
}

/** Logout tokens, requests and others of the issuer are signed with the same keys (RFC 8725, 3.11). */
const assertAccessToken = (type: unknown): void => {
  if (type !== undefined && !/^(application\/)?(at\+)?jwt$/i.test(String(type)))
    throw invalidToken('The token is not an access token (header "typ").')
}

/** The claims of a token whose signature is right; throws an error 401 if they name no subject. */
export const claimsOf = (payload: JWTPayload): Claims => {
  const { sub } = payload
  // Bound to a key (RFC 7800) whose possession a bearer does not prove.
  if (payload.cnf !== undefined) throw invalidToken(claimDetails.cnf)
  // What PostgreSQL cannot store unchanged could become another subject.
  if (
    typeof sub !== 'string' ||
    sub === '' ||
    sub.length > 255 ||
    sub.includes('\0') ||
    !sub.isWellFormed()
  )
    throw invalidToken(claimDetails.sub)
  return {
    subject: sub,
    email: textOf(payload.email),
    isEmailVerified: verifiedOf(payload),
    givenName: textOf(payload.given_name),
    familyName: textOf(payload.family_name),
    name: textOf(payload.name),
  }
}

const verifiedOf = ({ email_verified: value }: JWTPayload): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined

const textOf = (value: unknown): string | undefined => {
  const text = typeof value === 'string' ? value.replace(/[\p{Cc}\s]+/gu, ' ').trim() : ''
  return text === '' ? undefined : text
}
