/** Downloads an export over HTTP and verifies it with the trailers that the service sent. */
import { createHash } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Transform, type Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { errorText, StartupError } from '../errors.ts'
import type { Progress } from './terminal/progress.ts'

type Options = {
  readonly url: string
  readonly token: string
  readonly entity: string
  readonly format: string
  /** Whether CSV begins with a byte order mark. */
  readonly hasBom: boolean
  /** Name of what stands between the fields of CSV; undefined: a comma. */
  readonly separator: string | undefined
  /** Whether it has names in place of keys. */
  readonly hasNames: boolean
  /** Language of the names; undefined: that of the definitions. */
  readonly language: string | undefined
  readonly body: unknown
  readonly target: Writable
  /** Whether the target ends with the export; standard output does not. */
  readonly endsTarget: boolean
  readonly progress: Progress
}

/** Writes to the target and returns counts; throws when the export is incomplete. */
export const downloadExport = async (
  options: Options,
): Promise<{ rows: number; bytes: number }> => {
  const response = await send(options)
  if (response.statusCode !== 200) throw new StartupError(await problemText(response))
  const hash = createHash('sha256')
  let bytes = 0
  const watch = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      options.progress.add(chunk)
      done(null, chunk)
    },
  })
  const { target, endsTarget } = options
  try {
    await pipeline(response, watch, target, { end: endsTarget })
  } catch (error) {
    throw new StartupError(endReason(error), { cause: error })
  }
  const rows = response.trailers['x-row-count']
  const digest = response.trailers.digest
  if (rows === undefined || digest === undefined)
    throw new StartupError('The export came without its manifest, so it cannot be verified.')
  if (digest !== `sha-256=${hash.digest('base64')}`)
    throw new StartupError('The export does not match its checksum; it was deleted.')
  return { rows: Number(rows), bytes }
}

const endReason = (error: unknown): string => {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'EPIPE') return 'The reader closed the export before its end.'
  if (syscall === 'write' || syscall === 'open')
    return `The export cannot be written: ${errorText(error)}; it was deleted.`
  return 'The export ended early; it was deleted.'
}

const send = (options: Options): Promise<IncomingMessage> => {
  const { url, token, entity, format, hasBom, separator, hasNames, language, body } = options
  const base = URL.canParse(url) ? url.replace(/\/$/, '') : ''
  if (base === '') throw new StartupError(`--url is not a URL: ${url}`)
  const query = new URLSearchParams({
    manifest: 'true',
    format,
    ...(hasBom && { bom: 'true' }),
    ...(separator !== undefined && { separator }),
    ...(hasNames && { names: 'true' }),
  })
  const path = `${base}/${encodeURIComponent(entity)}/export?${query}`
  const request = path.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sent = request(path, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...(language !== undefined && { 'Accept-Language': language }),
      },
    })
    sent.on('response', resolve)
    sent.on('error', (error) =>
      reject(
        new StartupError(`The service at ${base} cannot be reached: ${error.message}`, {
          cause: error,
        }),
      ),
    )
    sent.end(JSON.stringify(body))
  })
}

const problemText = async (response: IncomingMessage): Promise<string> => {
  const body = await text(response)
  try {
    const {
      title,
      detail,
      errors = [],
    } = JSON.parse(body) as {
      title: string
      detail: string
      errors?: { path: string; message: string }[]
    }
    const lines = errors.map(({ path, message }) => `\n  ${path} ${message}`)
    return `${title} ${detail}${lines.join('')}`
  } catch {
    return `The service answered ${response.statusCode}.`
  }
}
