/** A device with passkeys, as software: it makes keys by Node.js and signs as Web Authentication says (6.1, 7.1, 7.2). */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

type Creation = {
  readonly challenge: string
  readonly rp: { readonly id: string }
  readonly user: { readonly id: string }
}
type Request = { readonly challenge: string; readonly rpId: string }

/** What differs from a device and a page that do everything right. */
export type Difference = {
  readonly origin?: string
  readonly rpId?: string
  readonly type?: string
  /** Without a PIN, a finger or a face. */
  readonly isUnverified?: true
  readonly counter?: number
  readonly userHandle?: string
}

type Made = {
  readonly id: Buffer
  readonly key: KeyObject
  readonly userHandle: string
}

const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest()

// CBOR (RFC 8949) of the few values that are needed.
const head = (major: number, length: number): Buffer => {
  if (length < 24) return Buffer.from([(major << 5) | length])
  return length < 256
    ? Buffer.from([(major << 5) | 24, length])
    : Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}
const cborBytes = (bytes: Buffer) => Buffer.concat([head(2, bytes.length), bytes])
const cborText = (text: string) => Buffer.concat([head(3, text.length), Buffer.from(text)])
const cborNumber = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value))
const cborMap = (pairs: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([head(5, pairs.length), ...pairs.flat()])

const coseKey = (publicKey: KeyObject): Buffer => {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const pairs = [
    [1, cborNumber(2)],
    [3, cborNumber(-7)],
    [-1, cborNumber(1)],
    [-2, cborBytes(Buffer.from(x, 'base64url'))],
    [-3, cborBytes(Buffer.from(y, 'base64url'))],
  ] as const
  return cborMap(pairs.map(([key, value]) => [cborNumber(key), value]))
}

const clientData = (type: string, challenge: string, origin: string) =>
  base64(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

const flags = { present: 1, verified: 4, backedUp: 0x18, attested: 0x40 }

const authenticatorData = (
  rpId: string,
  counter: number,
  { isUnverified }: Difference,
  attested = Buffer.alloc(0),
): Buffer => {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  const set =
    flags.present |
    (isUnverified ? 0 : flags.verified) |
    flags.backedUp |
    (attested.length > 0 ? flags.attested : 0)
  return Buffer.concat([sha256(rpId), Buffer.from([set]), count, attested])
}

/** Opens a device whose browser shows the pages of an origin. */
export const openAuthenticator = (usualOrigin: string) => {
  let made: Made | undefined
  let signed = 0
  return {
    /** Makes a passkey in place of an earlier one. */
    create: ({ challenge, rp, user }: Creation, difference: Difference = {}) => {
      const { publicKey, privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const id = randomBytes(16)
      made = { id, key, userHandle: user.id }
      const attested = Buffer.concat([
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        coseKey(publicKey),
      ])
      const { rpId = rp.id, counter = 0 } = difference
      const data = authenticatorData(rpId, counter, difference, attested)
      const attestation = cborMap([
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), cborMap([])],
        [cborText('authData'), cborBytes(data)],
      ])
      const { type = 'webauthn.create', origin = usualOrigin } = difference
      return {
        id: base64(id),
        client_data: clientData(type, challenge, origin),
        attestation: base64(attestation),
        transports: ['internal'],
      }
    },
    /** Signs with the passkey. */
    sign: ({ challenge, rpId: asked }: Request, difference: Difference = {}) => {
      if (!made) throw new Error('The device has no passkey.')
      signed += 1
      const { type = 'webauthn.get', origin = usualOrigin, rpId = asked, counter } = difference
      const data = authenticatorData(rpId, counter ?? signed, difference)
      const client = clientData(type, challenge, origin)
      const signature = sign(
        'sha256',
        Buffer.concat([data, sha256(Buffer.from(client, 'base64url'))]),
        made.key,
      )
      return {
        id: base64(made.id),
        client_data: client,
        authenticator_data: base64(data),
        signature: base64(signature),
        user_handle: difference.userHandle ?? made.userHandle,
      }
    },
  }
}

export type Authenticator = ReturnType<typeof openAuthenticator>
