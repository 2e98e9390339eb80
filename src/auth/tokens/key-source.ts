/** Where the public keys come from that tokens are checked with. */
import type { JWTVerifyGetKey } from 'jose'

/** The keys of an issuer at one moment. */
export type IssuerKeys = {
  /** What the claim `iss` of a token must be. */
  readonly issuer: string
  /** The key of a token; rejects where there is none. */
  readonly keyOf: JWTVerifyGetKey
}

export type KeySource = {
  /** The keys as last known; an error 503 while there are none. */
  readonly current: () => Promise<IssuerKeys>
  /** Newer keys than those tried without success; undefined when there cannot be any yet. */
  readonly newerThan: (tried: IssuerKeys) => Promise<IssuerKeys | undefined>
}
