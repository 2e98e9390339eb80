/** One request of the fuzzer: how it is sent, and a shell command that sends it again. */
import { Agent, request as send } from 'node:http'
import type { Operation } from '../api-document.ts'

export type Request = {
  /** The key of the caller. */
  readonly caller: string
  readonly method: string
  /** Path and query as they are sent. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  /** The operation that the request is for, unless method or path were changed. */
  readonly operation: Operation | undefined
}

export type Answer = {
  /** 0: no response in time, or the connection was closed. */
  readonly status: number
  readonly type: string
  readonly etag: string | undefined
  readonly isEncoded: boolean
  readonly text: string
  readonly tookMs: number
}

const timeoutMs = 60_000
const maxBytes = 64_000_000
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends a request; closes a stream of events after its first bytes. */
export const sendRequest = (
  url: string,
  authorization: string | undefined,
  { method, target, headers, body }: Request,
): Promise<Answer> => {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const end = (answer: Partial<Answer>) =>
      resolve({
        status: 0,
        type: '',
        etag: undefined,
        isEncoded: false,
        text: '',
        ...answer,
        tookMs: performance.now() - startedAt,
      })
    const { hostname, port } = new URL(url)
    const sent = send(
      {
        hostname,
        port,
        agent,
        method,
        path: target,
        headers: {
          ...(authorization !== undefined && { authorization }),
          // The client omits this for methods that usually have no body.
          ...(body && { 'content-length': body.length }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        let length = 0
        const type = response.headers['content-type'] ?? ''
        const finish = () =>
          end({
            status: response.statusCode ?? 0,
            type,
            etag: response.headers.etag,
            isEncoded: response.headers['content-encoding'] !== undefined,
            text: Buffer.concat(chunks).toString(),
          })
        response.on('data', (chunk: Buffer) => {
          length += chunk.length
          chunks.push(chunk)
          if (!type.startsWith('text/event-stream') && length < maxBytes) return
          finish()
          response.destroy()
        })
        response.on('end', finish)
        response.on('error', finish)
      },
    )
    const timer = setTimeout(() => sent.destroy(new Error('no response in time')), timeoutMs)
    sent.on('close', () => clearTimeout(timer))
    sent.on('error', (error) => end({ text: String(error) }))
    sent.end(body)
  })
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The request as a shell command; `$TOKEN` is the token of the caller. */
export const curlLine = (
  url: string,
  { caller, method, target, headers, body }: Request,
): string => {
  const isPlain = body !== undefined && /^[\x20-\x7e]*$/.test(String(body)) && body.length < 4000
  const decoding =
    body !== undefined && !isPlain ? `base64 -d <<< ${body.toString('base64')} | ` : ''
  const data = body === undefined ? [] : ['--data-binary', isPlain ? quoted(String(body)) : '@-']
  const args = [
    ...['curl', '-i', '--path-as-is', '-g', '-X', method],
    ...(caller === 'anonymous' ? [] : ['-H', '"Authorization: Bearer $TOKEN"']),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)]),
    ...data,
    quoted(url + target),
  ]
  return `# as ${caller}\n${decoding}${args.join(' ')}`
}
