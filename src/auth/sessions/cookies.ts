/** The cookies of the service: the session, sign-ins that have begun at the issuer or wait for their second step, the known browser, the code that was asked for, the challenge of a passkey, and the last write. */
import { type Config, publicUrl } from '../../config/load-config.ts'

type CookieKind = 'session' | 'signIns' | 'browser' | 'step' | 'code' | 'challenge' | 'position'

/**
 * With the prefix `__Host-` a browser keeps a cookie only if this host has set it over TLS, for itself alone
 * (RFC 6265bis, 4.1.3.2). Without TLS it would keep none.
 */
const names: Readonly<Record<CookieKind, string>> = {
  session: 'docket',
  signIns: 'docket-sign-in',
  browser: 'docket-browser',
  step: 'docket-step',
  challenge: 'docket-challenge',
  code: 'docket-code',
  position: 'docket-position',
}

/** The name of a cookie of a service with this public address. */
export const cookieName = (address: string | undefined, kind: CookieKind = 'session'): string =>
  `${isSecure(address) ? '__Host-' : ''}${names[kind]}`

const isSecure = (address: string | undefined): boolean => address?.startsWith('https:') === true

export type Cookies = {
  /** The value of a cookie among those of a request; undefined without it. */
  readonly read: (header: string | undefined, kind: CookieKind) => string | undefined
  /** The header `Set-Cookie`; an empty value removes the cookie. */
  readonly print: (kind: CookieKind, value: string, maxAgeSeconds: number) => string
}

/** Creates the cookies of one service; values are of characters that need no quotes. */
export const createCookies = (config: Config): Cookies => {
  const address = publicUrl(config)
  return {
    read: (header, kind) => {
      const begin = `${cookieName(address, kind)}=`
      const found = header?.split(';').find((part) => part.trimStart().startsWith(begin))
      return found?.trim().slice(begin.length)
    },
    print: (kind, value, maxAgeSeconds) =>
      [
        `${cookieName(address, kind)}=${value}`,
        'Path=/',
        `Max-Age=${value === '' ? 0 : maxAgeSeconds}`,
        'HttpOnly',
        'SameSite=Lax',
        ...(isSecure(address) ? ['Secure'] : []),
      ].join('; '),
  }
}
