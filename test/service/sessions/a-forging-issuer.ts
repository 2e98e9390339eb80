/** An issuer whose answers a test makes up: what a broken or hostile one could send. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterwards } from '../../support/afterwards.ts'

export type ForgingIssuer = {
  readonly url: string
  /** The key that it publishes, and one that it does not. */
  readonly keys: { readonly published: CryptoKey; readonly other: CryptoKey }
  /** Sets what its token endpoint answers. */
  readonly answerWith: (answer: (response: ServerResponse) => Promise<void> | void) => void
  readonly stop: () => Promise<void>
}

export const startForgingIssuer = async (): Promise<ForgingIssuer> => {
  const published = await generateKeyPair('ES256', { extractable: true })
  const other = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(published.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }
  let answer: (response: ServerResponse) => Promise<void> | void = (response) => void response.end()
  const server = createServer((request, response) => {
    if (request.url === '/token') void answer(response)
    else if (request.url === '/keys') sendJson(response, { keys: [jwk] })
    else sendJson(response, discovery)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const discovery = {
    issuer: url,
    authorization_endpoint: `${url}/auth`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    id_token_signing_alg_values_supported: ['ES256'],
  }
  return {
    url,
    keys: { published: published.privateKey, other: other.privateKey },
    answerWith: (next) => {
      answer = next
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

export const sendJson = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** Answers with an ID token of these claims. */
export const sendIdToken = async (
  response: ServerResponse,
  claims: Readonly<Record<string, unknown>>,
  key: CryptoKey,
): Promise<void> => {
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .setIssuedAt()
    .sign(key)
  sendJson(response, { access_token: 'a', token_type: 'Bearer', id_token: token })
}
