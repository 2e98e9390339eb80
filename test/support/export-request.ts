/** Asks for exports by node:http, which shows what fetch hides: bytes as sent, trailers, broken ends. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { TestService } from './service.ts'
import { readStrictCsv } from './strict-csv.ts'

export type ExportOptions = {
  readonly as?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type Exported = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly trailers: NodeJS.Dict<string>
  /** The bytes as they were sent, compressed or not. */
  readonly bytes: Buffer
  readonly text: string
}

type Door = Pick<TestService, 'url' | 'tokenOf'>

/** Sends the request and answers with the response as soon as its headers are there, unread. */
export const openExport = async (
  { url, tokenOf }: Door,
  path: string,
  { as, body = {}, headers = {} }: ExportOptions = {},
): Promise<IncomingMessage> => {
  const token = await tokenOf(as)
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, {
      method: 'POST',
      // A connection of its own, so that a cut of it is a cut of nothing else.
      agent: false,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...headers,
      },
    })
    sent.on('response', resolve)
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}

/** Reads an answer to its end; rejects when it breaks off. */
export const readWhole = async (response: IncomingMessage): Promise<Exported> => {
  const bytes = await buffer(response)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    trailers: response.trailers,
    bytes,
    text: bytes.toString(),
  }
}

/** Asks for an export and reads it to its end; rejects when it breaks off. */
export const exportOf = async (
  door: Door,
  path: string,
  options?: ExportOptions,
): Promise<Exported> => readWhole(await openExport(door, path, options))

/** The cells of CSV, read strictly: an empty field is null, `""` the empty string; all rows alike. */
export const readCells = (text: string): (string | null)[][] => {
  const rows = readStrictCsv(text)
  const odd = rows.findIndex((row) => row.length !== rows[0]?.length)
  if (odd >= 0) throw new Error(`Row ${odd + 1} has ${rows[odd]?.length} fields.`)
  return rows.map((row) => row.map((one) => (one.text === '' && !one.isQuoted ? null : one.text)))
}
