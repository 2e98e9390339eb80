/** What browsers answer about passkeys, and whether it is right: WebAuthn by a library, which is loaded when it is first needed. */

import type { KnownPasskey, NewPasskey } from './passkey-store.ts'
import type { RelyingParty } from './relying-party.ts'

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
    // A counter that falls is told and not refused, so that the library compares with none.
    credential: { id: credentialId, publicKey, counter: 0 },
    ...expectations(expected),
  }).catch(() => undefined)
  return found?.verified ? found.authenticationInfo.newCounter : undefined
}
