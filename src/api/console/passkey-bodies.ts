/** What pages send and get about passkeys: the values of Web Authentication, the binary ones in base64url. */
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { component, objectOf, type ValueOf } from '../../http/openapi/operation.ts'

const binary = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' })

const credentialId = binary(1_400)
const clientData = binary(4_000)
const closed = { additionalProperties: false } as const

/** A new passkey, as a device has made it. */
export const createdPasskey = Type.Object(
  {
    id: credentialId,
    client_data: clientData,
    attestation: binary(20_000),
    transports: Type.Optional(
      Type.Array(Type.String({ maxLength: 32, pattern: '^[a-z-]+$' }), { maxItems: 10 }),
    ),
  },
  closed,
)

/** A signature by a passkey. */
export const passkeyProof = Type.Object(
  {
    id: credentialId,
    client_data: clientData,
    authenticator_data: binary(4_000),
    signature: binary(1_400),
    user_handle: binary(100),
  },
  closed,
)

/** What its user calls a passkey. */
export const passkeyName = Type.String({ minLength: 1, maxLength: 100 })

const text = { type: 'string' } as const
const kind = { enum: ['public-key'] } as const
const required = { enum: ['required'] } as const
const listOf = <S extends object>(items: S) => ({ type: 'array', items }) as const

export const signingOptions = component(
  'PasskeyRequest',
  objectOf({
    challenge: text,
    rpId: text,
    timeout: { type: 'integer', description: 'In milliseconds.' },
    userVerification: required,
  }),
)

export const creationOptions = component(
  'PasskeyCreation',
  objectOf({
    challenge: text,
    rp: objectOf({ id: text, name: text }),
    user: objectOf({ id: text, name: text, displayName: text }),
    pubKeyCredParams: listOf(objectOf({ type: kind, alg: { type: 'integer' } })),
    timeout: { type: 'integer', description: 'In milliseconds.' },
    attestation: { enum: ['none'] },
    authenticatorSelection: objectOf({
      residentKey: required,
      requireResidentKey: { type: 'boolean' },
      userVerification: required,
    }),
    excludeCredentials: listOf(objectOf({ type: kind, id: text, transports: listOf(text) })),
  }),
)

export type SigningOptions = ValueOf<typeof signingOptions>
export type CreationOptions = ValueOf<typeof creationOptions>
