/** Requests exports by node:http, which shows what fetch hides: raw bytes, trailers, aborted responses. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { TestService } from './service.ts'

export type ExportOptions = {
  readonly as?: string | undefined
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

type Target = Pick<TestService, 'url' | 'tokenOf'>

/** Sends the request and returns the response as soon as its headers arrive, unread. */
export const openExport = async (
  { url, tokenOf }: Target,
  path: string,
  { as, body = {}, headers = {} }: ExportOptions = {},
): Promise<IncomingMessage> => {
  const token = await tokenOf(as)
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, {
      method: 'POST',
      // Its own connection, so that aborting it affects no other request.
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

/** Reads a response to its end. Rejects when it is aborted. */
export const readToEnd = async (response: IncomingMessage): Promise<Exported> => {
  const bytes = await buffer(response)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    trailers: response.trailers,
    bytes,
    text: bytes.toString(),
  }
}

/** Requests an export and reads it to its end. Rejects when it is aborted. */
export const exportOf = async (
  target: Target,
  path: string,
  options?: ExportOptions,
): Promise<Exported> => readToEnd(await openExport(target, path, options))

/** The cells of CSV, read strictly: an empty field is null, `""` the empty string. All rows have the same length. */
export const readCells = (text: string): (string | null)[][] => {
  const rows = readStrictCsv(text)
  const odd = rows.findIndex((row) => row.length !== rows[0]?.length)
  if (odd >= 0) throw new Error(`Row ${odd + 1} has ${rows[odd]?.length} fields.`)
  return rows.map((row) => row.map((one) => (one.text === '' && !one.isQuoted ? null : one.text)))
}

type CsvField = { readonly text: string; readonly isQuoted: boolean }

/** Rows of fields. Throws when the text is not RFC 4180 with CRLF after every row: it accepts less than common libraries do. */
const readStrictCsv = (text: string): CsvField[][] => {
  const rows: CsvField[][] = []
  let at = 0
  while (at < text.length) {
    const row: CsvField[] = []
    for (;;) {
      const { field, end } = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at)
      row.push(field)
      at = end
      if (text[at] === ',') at += 1
      else break
    }
    if (text.slice(at, at + 2) !== '\r\n')
      throw new Error(`Row ${rows.length + 1} does not end in CRLF.`)
    at += 2
    rows.push(row)
  }
  return rows
}

const readPlain = (text: string, begin: number) => {
  let end = begin
  while (end < text.length && !',"\r\n'.includes(text[end] ?? '')) end += 1
  if (text[end] === '"') throw new Error(`An unquoted field contains a quote at ${end}.`)
  return { field: { text: text.slice(begin, end), isQuoted: false }, end }
}

const readQuoted = (text: string, begin: number) => {
  let content = ''
  let at = begin + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) throw new Error(`The field at ${begin} is not closed.`)
    content += text.slice(at, quote)
    if (text[quote + 1] !== '"') return { field: { text: content, isQuoted: true }, end: quote + 1 }
    content += '"'
    at = quote + 2
  }
}
