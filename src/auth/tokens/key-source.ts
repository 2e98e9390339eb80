/** Where the public keys for checking tokens come from. */
import type { JWTVerifyGetKey } from 'jose'

/** The keys of an issuer at one moment. */
export type IssuerKeys = {
  /** What the claim `iss` of a token must be. */
  readonly issuer: string
  /** The key of a token; rejects if there is none. */
  readonly keyOf: JWTVerifyGetKey
}

export type KeySource = {
  /** The last known keys; an error 503 while there are none. */
  readonly current: () => Promise<IssuerKeys>
  /** Newer keys than those tried without success; undefined if there cannot be any yet. */
  readonly newerThan: (tried: IssuerKeys) => Promise<IssuerKeys | undefined>
}
