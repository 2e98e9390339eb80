/** What browsers answer about passkeys, and whether it is right: WebAuthn by a library, which is loaded when it is first needed. */
import { isIP } from 'node:net'
import { type Config, publicUrl } from '../../config/load-config.ts'
import type { KnownPasskey, NewPasskey } from './passkey-store.ts'

/** A new passkey, as a page sends it; binary values are in base64url. */
export type CreatedPasskey = {
  readonly id: string
  readonly client_data: string
  readonly attestation: string
  readonly transports?: readonly string[]
}

/** A signature by a passkey, as a page sends it; binary values are in base64url. */
export type PasskeyProof = {
  readonly id: string
  readonly client_data: string
  readonly authenticator_data: string
  readonly signature: string
  readonly user_handle: string
}

/** COSE numbers of the algorithms of keys: ES256, EdDSA and RS256, which all devices know one of. */
export const keyAlgorithms = [-7, -8, -257] as const

/** What a device stores with a passkey instead of a name of its user. */
export const handleOf = (userId: number): string => Buffer.from(`${userId}`).toString('base64url')

type Expected = { readonly challenge: string; readonly site: RelyingParty }

const expectations = ({ challenge, site }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: site.origin,
  expectedRPID: site.id,
  // By PIN, finger or face: a passkey is two factors.
  requireUserVerification: true,
})

const library = () => import('@simplewebauthn/server')

/** The passkey that was made for a challenge; undefined if the answer is wrong. */
export const readCreated = async (
  given: CreatedPasskey,
  expected: Expected,
): Promise<NewPasskey | undefined> => {
  const { verifyRegistrationResponse } = await library()
  const response = { clientDataJSON: given.client_data, attestationObject: given.attestation }
  const common = { id: given.id, rawId: given.id, type: 'public-key' } as const
  const found = await verifyRegistrationResponse({
    response: { ...common, response, clientExtensionResults: {} },
    supportedAlgorithmIDs: [...keyAlgorithms],
    ...expectations(expected),
  }).catch(() => undefined)
  const credential = found?.registrationInfo?.credential
  if (!found?.verified || !credential) return undefined
  const { id: credentialId, publicKey, counter } = credential
  return { credentialId, publicKey, counter, transports: given.transports ?? [] }
}

/** The counter of a device that has signed a challenge; undefined if the signature is wrong. */
export const readProof = async (
  given: PasskeyProof,
  { userId, credentialId, publicKey }: KnownPasskey,
  expected: Expected,
): Promise<number | undefined> => {
  if (given.user_handle !== handleOf(userId)) return undefined
  const { verifyAuthenticationResponse } = await library()
  const response = {
    clientDataJSON: given.client_data,
    authenticatorData: given.authenticator_data,
    signature: given.signature,
  }
  const common = { id: given.id, rawId: given.id, type: 'public-key' } as const
  const found = await verifyAuthenticationResponse({
    response: { ...common, response, clientExtensionResults: {} },
    // A counter that falls is reported and not refused, so that the library compares with none.
    credential: { id: credentialId, publicKey, counter: 0 },
    ...expectations(expected),
  }).catch(() => undefined)
  return found?.verified ? found.authenticationInfo.newCounter : undefined
}

// For which site passkeys are made: the public address of the service alone, never the Host of a request.

/** The site as browsers know it (Web Authentication, 5.4.2). */
export type RelyingParty = { readonly id: string; readonly origin: string }

/** The site of a service that listens on a port. Without PUBLIC_URL it is this machine, by the name that browsers accept. */
export const relyingPartyOf = (config: Config, port: number | undefined): RelyingParty => {
  const { hostname, origin } = new URL(
    publicUrl(config) ?? `http://localhost:${port ?? config.PORT}`,
  )
  return { id: hostname, origin }
}

/** Why a service with this address has no passkeys; undefined if it can have them. */
export const whyNoSite = (config: Config): string | undefined => {
  const { id } = relyingPartyOf(config, undefined)
  return isIP(id.replace(/^\[|\]$/g, '')) > 0
    ? 'Passkeys belong to a name, and PUBLIC_URL has the address of a machine.'
    : undefined
}
