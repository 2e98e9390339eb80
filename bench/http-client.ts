/** Requests over persistent connections, at a small cost for the measured machine. */
import { Agent, request } from 'node:http'

export type Request = {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Resolves with the body of the response; rejects if the request was refused. */
export type Send = (request: Request) => Promise<Buffer>

/** Where to send requests, and with which token; a peer needs none. */
export type Target = { readonly url: string; readonly token?: string }

/** Opens at most so many connections; as many as needed by default. */
export const openClient = (
  { url, token = '' }: Target,
  connections = Number.POSITIVE_INFINITY,
): Send => {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  return ({ method = 'GET', path, body, headers: own }) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const headers = {
        Authorization: `Bearer ${token}`,
        ...own,
        ...(text && {
          'Content-Type': 'application/json',
          'Content-Length': `${Buffer.byteLength(text)}`,
        }),
      }
      const sent = request({ agent, hostname, port, method, path, headers }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const bytes = Buffer.concat(chunks)
          if ([200, 201, 204].includes(answer.statusCode ?? 0)) resolve(bytes)
          else reject(new Error(`${method} ${path} was answered ${answer.statusCode}: ${bytes}`))
        })
      })
      sent.on('error', reject)
      sent.end(text)
    })
}

/** Parses a JSON response, of the type that the caller knows. */
export const getJson = async <T>(target: Target, path: string): Promise<T> =>
  JSON.parse((await openClient(target)({ path })).toString()) as T
