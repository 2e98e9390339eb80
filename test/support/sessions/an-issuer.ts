/** A real OpenID Connect issuer that signs in whom a test names, without asking. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { afterwards } from '../afterwards.ts'

export const clientId = 'console'

export type SignInIssuer = {
  readonly url: string
  /** Registers the address that browsers come back to. */
  readonly allow: (redirectUri: string, clientSecret?: string) => Promise<void>
  /** Whom it signs in next; undefined: nobody, it rejects. */
  readonly setPerson: (person: Person | undefined) => void
  readonly stop: () => Promise<void>
}

type Person = {
  readonly subject: string
  readonly claims?: Readonly<Record<string, string | boolean>>
  /** How many seconds ago the person has signed in there, if it says so. */
  readonly secondsAgo?: number
}

export const startSignInIssuer = async (): Promise<SignInIssuer> => {
  let respond: RequestListener = (_, response) => void response.writeHead(503).end()
  const server = createServer((request, response) => respond(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid: 'first', alg: 'ES256', use: 'sig' }
  let person: Person | undefined
  const known = new Map<string, Person>()
  return {
    url,
    setPerson: (next) => {
      person = next
      if (next) known.set(next.subject, next)
    },
    allow: async (redirectUri, clientSecret) => {
      const claimsOf = (subject: string) => ({ sub: subject, ...known.get(subject)?.claims })
      const provider: Provider = new Provider(url, {
        clients: [clientWith(redirectUri, clientSecret)],
        jwks: { keys: [jwk] },
        cookies: { keys: ['a-key-of-cookies'] },
        pkce: { required: () => true },
        claims: { email: ['email', 'email_verified'], profile: ['name', 'given_name'] },
        findAccount: (_context: unknown, subject: string) => ({
          accountId: subject,
          claims: () => claimsOf(subject),
        }),
        features: { devInteractions: { enabled: false } },
        loadExistingGrant: async () => {
          const grant = new provider.Grant({ accountId: person?.subject ?? '', clientId })
          grant.addOIDCScope('openid email profile')
          await grant.save()
          return grant
        },
      })
      const handle = provider.callback()
      respond = (request, response) => {
        if (!request.url?.startsWith('/interaction/')) return handle(request, response)
        const result = person
          ? { login: { accountId: person.subject, remember: false, ...timeOf(person) } }
          : { error: 'access_denied', error_description: 'a secret of the issuer' }
        void provider.interactionFinished(request, response, result)
      }
    },
    stop: afterwards(
      () =>
        new Promise((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        }),
    ),
  }
}

const timeOf = ({ secondsAgo }: Person) =>
  secondsAgo === undefined ? {} : { ts: Math.floor(Date.now() / 1000) - secondsAgo }

const clientWith = (redirectUri: string, clientSecret: string | undefined) => ({
  client_id: clientId,
  ...(clientSecret !== undefined && { client_secret: clientSecret }),
  token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  redirect_uris: [redirectUri],
  id_token_signed_response_alg: 'ES256',
  require_auth_time: true,
})
