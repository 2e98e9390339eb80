/**
 * Whether a page of this service has sent a request. A browser adds a cookie to whatever any page sends, so
 * a cookie counts only then; the headers that show it cannot be set by scripts.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../config/load-config.ts'
import { shorten } from '../../issues.ts'
import { isLoopback } from '../tokens/development-issuer.ts'

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
