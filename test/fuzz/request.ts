/** One request of a fuzzer: how it is sent, and how a person sends it again. */
import { Agent, request as send } from 'node:http'
import type { Operation } from './api-document.ts'

export type Request = {
  /** Who asks: a key of the callers. */
  readonly caller: string
  readonly method: string
  /** Path and query as they are sent. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  /** The operation that it is meant for, while it is still asked by its own method and path. */
  readonly operation: Operation | undefined
}

export type Answer = {
  /** 0: none came in time, or the connection broke. */
  readonly status: number
  readonly type: string
  readonly etag: string | undefined
  readonly isEncoded: boolean
  readonly text: string
  readonly tookMs: number
}

const patienceMs = 60_000
const maxBytes = 64_000_000
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends it; a stream of events is left after its first bytes. */
export const sendRequest = (
  url: string,
  authorization: string | undefined,
  { method, target, headers, body }: Request,
): Promise<Answer> => {
  const begun = performance.now()
  return new Promise((resolve) => {
    const end = (answer: Partial<Answer>) =>
      resolve({
        ...{ status: 0, type: '', etag: undefined, isEncoded: false, text: '' },
        ...answer,
        tookMs: performance.now() - begun,
      })
    const { hostname, port } = new URL(url)
    const sent = send(
      {
        ...{ hostname, port, agent, method, path: target },
        headers: {
          ...(authorization !== undefined && { authorization }),
          // Which the client leaves out of requests that usually have no body.
          ...(body && { 'content-length': body.length }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        let length = 0
        const type = response.headers['content-type'] ?? ''
        const answered = () =>
          end({
            ...{ status: response.statusCode ?? 0, type, etag: response.headers.etag },
            isEncoded: response.headers['content-encoding'] !== undefined,
            text: Buffer.concat(chunks).toString(),
          })
        response.on('data', (chunk: Buffer) => {
          length += chunk.length
          chunks.push(chunk)
          if (!type.startsWith('text/event-stream') && length < maxBytes) return
          answered()
          response.destroy()
        })
        response.on('end', answered)
        response.on('error', answered)
      },
    )
    const patience = setTimeout(() => sent.destroy(new Error('no answer in time')), patienceMs)
    sent.on('close', () => clearTimeout(patience))
    sent.on('error', (error) => end({ text: String(error) }))
    sent.end(body)
  })
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The request as a line for a shell; `$TOKEN` stands for the token of the caller. */
export const curlLine = (
  url: string,
  { caller, method, target, headers, body }: Request,
): string => {
  const isPlain = body !== undefined && /^[\x20-\x7e]*$/.test(String(body)) && body.length < 4000
  const coded = body !== undefined && !isPlain ? `base64 -d <<< ${body.toString('base64')} | ` : ''
  const data = body === undefined ? [] : ['--data-binary', isPlain ? quoted(String(body)) : '@-']
  const words = [
    ...['curl', '-i', '--path-as-is', '-g', '-X', method],
    ...(caller === 'nobody' ? [] : ['-H', '"Authorization: Bearer $TOKEN"']),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)]),
    ...data,
    quoted(url + target),
  ]
  return `# as ${caller}\n${coded}${words.join(' ')}`
}
