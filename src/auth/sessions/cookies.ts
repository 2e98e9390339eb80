/** The cookies of the service: the session, sign-ins that have begun at the issuer or wait for their second step, the known browser, the code that was asked for, the challenge of a passkey, and the last write. */
import type { IncomingHttpHeaders } from 'node:http'
import { type Config, publicUrl } from '../../config/load-config.ts'
import { shorten } from '../../issues.ts'
import { isLoopback } from '../tokens/development-issuer.ts'

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

// Whether a page of this service has sent a request. A browser adds a cookie to whatever any page sends, so
// a cookie counts only then; the headers that show it cannot be set by scripts.

type Request = { readonly method: string; readonly headers: IncomingHttpHeaders }

/** Why a request was not sent by a page of this service; undefined if it was. */
type FindForeignReason = (request: Request) => string | undefined

/** Creates the check of one service. */
export const createForeignReason = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>) => {
  const publicOrigin = PUBLIC_URL === undefined ? undefined : new URL(PUBLIC_URL).origin
  const isOwn = (origin: string | undefined, host: string | undefined): boolean =>
    origin !== undefined && (origin === publicOrigin || origin === loopbackOrigin(host))
  const findReason: FindForeignReason = ({ method, headers }) => {
    const site = headers['sec-fetch-site']
    if (site !== undefined)
      return site === 'same-origin'
        ? undefined
        : `the header Sec-Fetch-Site is ${quoted(String(site))} instead of "same-origin"`
    // Browsers without that header: Origin is missing only for a GET of the same site, and of a link.
    const isRead = method === 'GET' || method === 'HEAD'
    const origin = headers.origin ?? (isRead ? originOf(headers.referer) : undefined)
    if (isOwn(origin, headers.host)) return undefined
    return origin === undefined
      ? 'neither the header Sec-Fetch-Site nor Origin is set'
      : `the origin ${quoted(origin)} is neither that of PUBLIC_URL nor of this machine`
  }
  return findReason
}

const quoted = (text: string): string => JSON.stringify(shorten(text, 100))

/** The origin of a service that is addressed by a name of this machine. */
const loopbackOrigin = (host: string | undefined): string | undefined => {
  const address = `http://${host}`
  if (host === undefined || !URL.canParse(address)) return undefined
  const { hostname, origin } = new URL(address)
  const name = hostname.replace(/^\[|\]$/g, '')
  return isLoopback(name) || name.endsWith('.localhost') ? origin : undefined
}

const originOf = (address: string | undefined): string | undefined =>
  address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined
