/** The sign-in at the issuer: the service runs the code flow of OpenID Connect with PKCE. */
import * as oauth from 'oauth4webapi'
import { errorText } from '../../errors.ts'
import { answerWithinMs, createFromIssuer } from '../tokens/from-issuer.ts'
import { withoutSlash } from '../tokens/remote-key-source.ts'
import { type Claims, claimsOf } from '../tokens/verify-token.ts'

/** Why a sign-in failed; the codes are part of the address of the sign-in page. */
export type SignInFailure =
  | 'expired'
  | 'refused'
  | 'unknown'
  | 'unavailable'
  | 'failed'
  | 'invitation'
  | 'taken'

/** A sign-in failed; the message is for the log. */
export class SignInError extends Error {
  override name = 'SignInError'
  readonly failure: SignInFailure

  constructor(failure: SignInFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.failure = failure
  }
}

/** What a browser must bring back from the issuer. */
export type Begun = { readonly state: string; readonly nonce: string; readonly verifier: string }

export type OpenId = {
  /** The address at the issuer to send a browser to; `asksAgain`: also a person whom it knows signs in there again. */
  readonly begin: (
    redirectUri: string,
    asksAgain: boolean,
  ) => Promise<{ readonly address: string; readonly begun: Begun }>
  /** Who has come back from the issuer; throws a SignInError. */
  readonly finish: (
    parameters: URLSearchParams,
    begun: Begun,
    redirectUri: string,
  ) => Promise<SignedIn>
  /** The address at the issuer that ends the session there; undefined if it has none. */
  readonly endAddress: () => Promise<string | undefined>
}

/** The claims, and when the person has signed in at the issuer, in seconds since 1970, if it says so. */
type SignedIn = { readonly claims: Claims; readonly at: number | undefined }

type Options = {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly now?: () => number
}

const scope = 'openid email profile'

/** Creates the client of one issuer; nothing is fetched before the first sign-in. */
export const createOpenId = (options: Options): OpenId => {
  const client: oauth.Client = { client_id: options.clientId }
  const discovery = createDiscovery(options)
  const requests = requestsTo(options.issuer)
  return {
    begin: async (redirectUri, asksAgain) => {
      const server = await discovery.current()
      const begun = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
      }
      const address = new URL(server.authorization_endpoint ?? '')
      for (const [name, value] of Object.entries({
        client_id: client.client_id,
        response_type: 'code',
        scope,
        redirect_uri: redirectUri,
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
        // Issuers know the one or the other; with `max_age` they say when (`auth_time`).
        ...(asksAgain && { prompt: 'login', max_age: '0' }),
      }))
        address.searchParams.set(name, value)
      return { address: address.href, begun }
    },
    finish: async (parameters, begun, redirectUri) => {
      const server = await discovery.current()
      try {
        const given = oauth.validateAuthResponse(server, client, parameters, begun.state)
        const response = await oauth.authorizationCodeGrantRequest(
          ...([server, client, authenticationAt(server, options), given, redirectUri] as const),
          ...([begun.verifier, requests] as const),
        )
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: begun.nonce,
          requireIdToken: true,
        })
        await oauth.validateApplicationLevelSignature(server, response, requests)
        const all = await allClaims({ server, client, tokens, requests })
        const { auth_time: at } = oauth.getValidatedIdTokenClaims(tokens) ?? {}
        return { claims: claimsOf(all), at: isTime(at) ? at : undefined }
      } catch (error) {
        throw signInError(error)
      }
    },
    endAddress: async () => {
      const { end_session_endpoint: address } = await discovery.current()
      if (address === undefined || !URL.canParse(address)) return undefined
      const end = new URL(address)
      end.searchParams.set('client_id', client.client_id)
      return end.href
    },
  }
}

// In seconds; PostgreSQL ends a little later.
const latestTime = 9e12

const isTime = (at: unknown): at is number => typeof at === 'number' && at > 0 && at < latestTime

/** Options of every request to the issuer: without TLS only if AUTH_ISSUER says so. */
const requestsTo = (issuer: string) => ({
  signal: () => AbortSignal.timeout(answerWithinMs),
  [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
})

/** The addresses of the issuer. */
const createDiscovery = ({ issuer, now }: Options) =>
  createFromIssuer({
    load: () => fetchServer(issuer),
    failedBy: (error) => new SignInError('unavailable', `${issuer}: ${errorText(error)}`, error),
    now,
  })

const fetchServer = async (issuer: string): Promise<oauth.AuthorizationServer> => {
  const address = withoutSlash(issuer)
  const response = await fetch(`${address}/.well-known/openid-configuration`, {
    headers: { Accept: 'application/json' },
    signal: AbortSignal.timeout(answerWithinMs),
  })
  const { issuer: name } = (await response.clone().json()) as { readonly issuer?: unknown }
  // Some issuers' names end with a slash, which users omit in the setting.
  const expected = typeof name === 'string' && withoutSlash(name) === address ? name : issuer
  const server = await oauth.processDiscoveryResponse(new URL(expected), response)
  if (!URL.canParse(server.authorization_endpoint ?? ''))
    throw new Error('its discovery document names no authorization_endpoint')
  return server
}

const authenticationAt = (
  { token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer,
  { clientSecret }: Options,
): oauth.ClientAuth => {
  if (clientSecret === undefined) return oauth.None()
  // An issuer that does not say what it supports supports client_secret_basic.
  const takesBasic = methods === undefined || methods.includes('client_secret_basic')
  return takesBasic ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret)
}

type Answered = {
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly tokens: oauth.TokenEndpointResponse
  readonly requests: ReturnType<typeof requestsTo>
}

/** The claims of the ID token; many issuers return names and e-mail only from their userinfo endpoint. */
const allClaims = async ({ server, client, tokens, requests }: Answered) => {
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  if (!claims) throw new Error('there is no ID token')
  if (claims.email !== undefined || server.userinfo_endpoint === undefined) return claims
  const { access_token: token } = tokens
  const response = await oauth.userInfoRequest(server, client, token, requests)
  const info = await oauth.processUserInfoResponse(server, client, claims.sub, response)
  const { email_verified: _ofAnotherAnswer, ...others } = claims
  return { ...info, ...others }
}

const signInError = (error: unknown): SignInError => {
  const text = errorText(error)
  if (error instanceof oauth.AuthorizationResponseError)
    return new SignInError('refused', `the issuer answers ${error.error}`, error)
  // fetch throws a TypeError if there is no connection, and a DOMException after the time limit.
  const isAway = error instanceof TypeError || error instanceof DOMException
  return new SignInError(isAway ? 'unavailable' : 'failed', text, error)
}
