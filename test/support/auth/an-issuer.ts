/** A real OpenID Connect issuer on a loopback port, whose keys can be rotated. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose'
import { Provider } from 'oidc-provider'
import { afterwards } from '../afterwards.ts'

export const audience = 'https://docket.example.com'
const secret = 'a-secret-of-the-machine'

export type TestIssuer = {
  readonly url: string
  /** Requests an access token from the issuer, as a machine with this subject. */
  readonly requestToken: (subject: string) => Promise<string>
  /** Signs a token with the key of the issuer. It is valid unless the given claims make it invalid. */
  readonly sign: (claims?: ChangedClaims, header?: Partial<JWTHeaderParameters>) => Promise<string>
  readonly publicKey: () => CryptoKey
  readonly rotateKey: () => Promise<void>
  /** From now on it closes every connection without an answer. Its port stays its own. */
  readonly stop: () => void
  readonly start: () => void
  readonly close: () => Promise<void>
}

/** Undefined omits a claim. */
type ChangedClaims = { readonly [Claim in keyof JWTPayload]: JWTPayload[Claim] | undefined }

type Key = { readonly kid: string; readonly privateKey: CryptoKey; readonly publicKey: CryptoKey }

/** Starts an issuer that knows machines with these subjects. */
export const startIssuer = async (subjects: readonly string[]): Promise<TestIssuer> => {
  let respond: RequestListener = (_, response) => void response.writeHead(503).end()
  let isStopped = false
  const server = createServer((request, response) => {
    if (isStopped) request.socket.destroy()
    else respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  let key = await makeKey('first')
  const switchKey = async () => {
    respond = new Provider(url, await configurationOf(subjects, key)).callback()
  }
  await switchKey()
  return {
    url,
    requestToken: (subject) => requestToken(url, subject),
    sign: (claims, header) =>
      new SignJWT({
        sub: 'anna',
        iss: url,
        aud: audience,
        exp: inSeconds(600),
        ...(claims as JWTPayload),
      })
        .setProtectedHeader({ alg: 'ES256', kid: key.kid, ...header })
        .sign(key.privateKey),
    publicKey: () => key.publicKey,
    rotateKey: async () => {
      key = await makeKey('second')
      await switchKey()
    },
    stop: () => {
      isStopped = true
      server.closeAllConnections()
    },
    start: () => {
      isStopped = false
    },
    close: afterwards(() => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    }),
  }
}

/** The time of a claim, in seconds from now. */
export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

const makeKey = async (kid: string): Promise<Key> => ({
  kid,
  ...(await generateKeyPair('ES256', { extractable: true })),
})

const configurationOf = async (subjects: readonly string[], { kid, privateKey }: Key) => ({
  clients: subjects.map((subject) => ({
    client_id: subject,
    client_secret: secret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    id_token_signed_response_alg: 'ES256',
  })),
  jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' }] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({
        audience,
        scope: 'records',
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
})

const requestToken = async (url: string, subject: string): Promise<string> => {
  const response = await fetch(`${url}/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${subject}:${secret}`)}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope: 'records',
      resource: audience,
    }),
  })
  const answer = (await response.json()) as { access_token?: string }
  if (!answer.access_token) throw new Error(JSON.stringify(answer))
  return answer.access_token
}
