/** The sign-ins that a browser has begun at the issuer, in a cookie: one for each of its tabs. */
import type { Begun } from './open-id.ts'

// A browser keeps cookies of 4096 bytes.
const maxCookie = 3_500

/** A sign-in, and the page to open after it. */
export type BegunSignIn = Begun & { readonly to: string }

/** The sign-ins of a cookie, the newest first. */
export const readSignIns = (value = ''): readonly BegunSignIn[] =>
  value.split('~').flatMap((text) => {
    const [state, nonce, verifier, to] = text.split('.')
    if (!state || !nonce || !verifier || !to) return []
    return [{ state, nonce, verifier, to: Buffer.from(to, 'base64url').toString() }]
  })

/** The value of the cookie: the newest sign-ins that have room. */
export const printSignIns = (all: readonly BegunSignIn[]): string => {
  const value = all
    .map(({ state, nonce, verifier, to }) =>
      [state, nonce, verifier, Buffer.from(to).toString('base64url')].join('.'),
    )
    .join('~')
  return value.length <= maxCookie ? value : printSignIns(all.slice(0, -1))
}
