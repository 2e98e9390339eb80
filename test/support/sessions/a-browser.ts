/** A client with cookies, as a browser sends requests for a page of the service. */
import { createLoginCode } from '../../../src/auth/sessions/sign-in.ts'
import { type Sent, send } from '../send.ts'
import type { Reply, TestService } from '../service.ts'
import { within } from '../wait.ts'

type SendOptions = {
  readonly body?: unknown
  /** Undefined removes a header that is sent otherwise. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export type Browser = {
  /** Sends a request of a page of the service. */
  readonly send: (method: string, path: string, options?: SendOptions) => Promise<Reply>
  /** Opens an address and follows redirects as long as `goesOn`; returns the last response. */
  readonly open: (
    address: string,
    goesOn?: (address: string) => boolean,
  ) => Promise<Reply & { readonly address: string }>
  /** The cookies of each host. */
  readonly cookies: Map<string, Map<string, string>>
  /** The values of a cookie that a response has set, with its attributes. */
  readonly lastSet: () => string
}

/** Opens one with no cookies. */
export const openBrowser = (service: { readonly url: string }): Browser => {
  const cookies: Browser['cookies'] = new Map()
  let lastSet = ''
  const jarOf = (url: URL) => {
    const jar = cookies.get(url.host) ?? new Map<string, string>()
    cookies.set(url.host, jar)
    return jar
  }
  const request = async (method: string, address: URL, { headers, body }: Sent): Promise<Reply> => {
    const jar = jarOf(address)
    const Cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const all = { ...headers, ...(jar.size > 0 && { Cookie }) }
    const sent = send(method, address.href, { headers: all, body })
    const reply = await within(`${method} ${address.pathname} is answered`, sent)
    for (const line of reply.headers.getSetCookie()) {
      lastSet = line
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0(;|$)/.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return reply
  }
  const open: Browser['open'] = async (address, goesOn = () => true) => {
    const reply = await request('GET', new URL(address), { headers: {} })
    const location = reply.headers.get('location')
    const next = location === null ? undefined : new URL(location, address).href
    if (next === undefined) return { ...reply, address }
    return goesOn(next) ? open(next, goesOn) : { ...reply, address: next }
  }
  return {
    cookies,
    lastSet: () => lastSet,
    open,
    send: (method, path, { body, headers = {} } = {}) => {
      const all = Object.entries({
        'Sec-Fetch-Site': 'same-origin',
        'Content-Type': body === undefined ? undefined : 'application/json',
        ...headers,
      }).filter((pair): pair is [string, string] => pair[1] !== undefined)
      const address = new URL(`${service.url}${path}`)
      return request(method, address, {
        headers: Object.fromEntries(all),
        body: JSON.stringify(body),
      })
    },
  }
}

/** The id of a user. */
export const idOf = async ({ database }: TestService, email: string): Promise<number> => {
  const { rows } = await database.pool.query<{ id: number }>(
    'SELECT id FROM records."user" WHERE email = $1',
    [email],
  )
  return rows[0]?.id ?? 0
}

/** A browser that is signed in by a development link, by default as the administrator. */
export const signedIn = async (
  service: TestService,
  email = 'admin@example.com',
): Promise<Browser> => {
  const browser = openBrowser(service)
  const code = await createLoginCode(service.database.pool, await idOf(service, email))
  const { status, text } = await browser.send('POST', '/console/-/session', { body: { code } })
  if (status !== 200) throw new Error(`${status} ${text}`)
  return browser
}
