/** The first rows of an export, as they will be in its file: text as it is, a workbook as a table. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { open } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import { Waiting } from '../../parts/notes.tsx'
import { ScrolledBody } from '../../parts/sections.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import { useDelayed } from '../values/use-delayed.ts'
import { type ExportRequest, type Format, queryOf } from './export-request.ts'
import { chunksOf } from './run-export.ts'

// Users move or add several columns in a row.
const settleMs = 250

export const ExportPreview = ({ request }: { readonly request: ExportRequest }): ReactNode => {
  const texts = useWorkTexts().export
  const { locale } = useReading()
  // A text stays equal while nothing changes; an object would never settle.
  const settled = useDelayed(JSON.stringify(request), settleMs)
  const shown: ExportRequest = JSON.parse(settled)
  const { data, error, isPlaceholderData } = useQuery(previewQuery(shown, locale))
  const isStale = isPlaceholderData || settled !== JSON.stringify(request)
  return (
    <section className="export-preview" aria-busy={isStale || data === undefined}>
      <h3>{texts.preview}</h3>
      {request.format === 'parquet' && <p>{texts.parquet}</p>}
      {error ? <p role="alert">{error.message}</p> : data ? <Rows {...data} /> : <Waiting />}
      {data !== undefined && data.omitted > 0 && <p>{texts.omitted(data.omitted)}</p>}
    </section>
  )
}

const Rows = (preview: Preview): ReactNode => {
  const texts = useWorkTexts().export
  const label = texts.preview
  if (preview.kind === 'text')
    return <ScrollingText label={label} text={preview.text} rows={previewRows + 1} />
  if (preview.kind === 'tooLong') return <p>{texts.tooLong}</p>
  const [headers = [], ...rows] = preview.rows
  return (
    <ScrolledBody label={label} className="export-sheet">
      <table>
        <thead>
          <tr>
            {withKeys(headers).map(([key, header]) => (
              <th key={key} scope="col" dir="auto">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {withKeys(rows).map(([row, cells]) => (
            <tr key={row}>
              {withKeys(cells).map(([key, text]) => (
                <td key={key} dir="auto">
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrolledBody>
  )
}

/** Rows and cells of a file are identified by their places. */
const withKeys = <T,>(all: readonly T[]): readonly (readonly [string, T])[] =>
  all.map((one, at) => [String(at), one])

type TextProps = { readonly label: string; readonly text: string; readonly rows: number }

/** Lines that are not wrapped: a field, so that keys reach, scroll and select them. */
export const ScrollingText = ({ label, text, rows }: TextProps): ReactNode => (
  <textarea
    className="export-text"
    readOnly
    wrap="off"
    spellCheck={false}
    dir="auto"
    aria-label={label}
    value={text}
    rows={rows}
  />
)

const previewRows = 20
// A single row may have many MB.
const maxTextBytes = 65_536
const maxSheetBytes = 4_000_000

type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'sheet'; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'tooLong' }

type Preview = Content & {
  /** The number of columns that the role may not read. */
  readonly omitted: number
}

type Bytes = { readonly bytes: Uint8Array<ArrayBuffer>; readonly isWhole: boolean }

const beginningOf = async (response: Response, most: number): Promise<Bytes> => {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let total = 0
  let isWhole = true
  for await (const chunk of chunksOf(response)) {
    chunks.push(chunk)
    total += chunk.length
    isWhole = total <= most
    if (!isWhole) break
  }
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer())
  return { bytes: bytes.subarray(0, most), isWhole }
}

const readText = async (response: Response): Promise<Content> => {
  const { bytes, isWhole } = await beginningOf(response, maxTextBytes)
  const [, charset] = /charset=([\w-]+)/.exec(response.headers.get('Content-Type') ?? '') ?? []
  const text = new TextDecoder(charset).decode(bytes)
  return { kind: 'text', text: isWhole ? text : `${text} …` }
}

const readWorkbook = async (response: Response, locale: string): Promise<Content> => {
  const { bytes, isWhole } = await beginningOf(response, maxSheetBytes)
  return isWhole ? { kind: 'sheet', rows: await readSheet(bytes, locale) } : { kind: 'tooLong' }
}

/** Browsers cannot read Parquet; NDJSON has the same values. */
const shownFormats: Partial<Record<Format, Format>> = { parquet: 'ndjson' }

const previewQuery = (request: ExportRequest, locale: string) => {
  const { entity, criteria, hasNames, csv } = request
  const format = shownFormats[request.format] ?? request.format
  return queryOptions({
    queryKey: [userKey, 'list', entity, criteria, 'preview', format, hasNames, csv, locale],
    queryFn: async ({ signal }): Promise<Preview> => {
      const response = await open(`/${entity}/export`, {
        method: 'POST',
        query: { ...queryOf({ ...request, format }), limit: previewRows },
        body: criteria,
        signal,
      })
      const read = format === 'xlsx' ? readWorkbook : readText
      const omitted = Number(response.headers.get('X-Omitted-Columns') ?? 0)
      return { ...(await read(response, locale)), omitted }
    },
    placeholderData: keepPreviousData,
  })
}

// Reads the first rows of a workbook of the service as a spreadsheet shows them.

const parse = (xml: string): Document => new DOMParser().parseFromString(xml, 'application/xml')

/** The number format of each style: codes such as `#,##0.00` and `dd.mm.yyyy`. */
const readFormats = (styles: Document): readonly (string | undefined)[] => {
  const codes = [...styles.getElementsByTagName('numFmt')].map(
    (one) => [one.getAttribute('numFmtId'), one.getAttribute('formatCode')] as const,
  )
  const byId = new Map(codes)
  const [list] = styles.getElementsByTagName('cellXfs')
  return [...(list?.children ?? [])].map(
    (style) => byId.get(style.getAttribute('numFmtId')) ?? undefined,
  )
}

// Spreadsheets store dates as days since this one, without a time zone.
const dayZero = Date.UTC(1899, 11, 30)
const secondsPerDay = 86_400

const momentOf = (serial: string, code: string): string => {
  const seconds = Math.round(Number(serial) * secondsPerDay)
  const text = new Date(dayZero + seconds * 1000).toISOString()
  const [, yyyy = '', month = '', dd = '', time = ''] = /^(.+)-(..)-(..)T(.{8})/.exec(text) ?? []
  const parts: Readonly<Record<string, string>> = { yyyy, dd, mm: month, 'hh:mm:ss': time }
  return code.replaceAll(
    /"(.)"|hh:mm:ss|yyyy|mm|dd/g,
    (part, literal?: string) => literal ?? parts[part] ?? part,
  )
}

const numberOf = (value: string, code: string | undefined, locale: string): string => {
  if (code?.includes('yyyy')) return momentOf(value, code)
  const decimals = code?.split('.')[1]?.length ?? 0
  const { format } = new Intl.NumberFormat(locale, {
    useGrouping: code?.startsWith('#') ?? false,
    minimumFractionDigits: decimals,
    maximumFractionDigits: 20,
  })
  return format(value as Intl.StringNumericLiteral)
}

/** `_x000D_` is a carriage return (ECMA-376, part 1, 22.4.2.4). */
const decoded = (text: string): string =>
  text.replaceAll(/_x([0-9A-F]{4})_/gi, (_whole, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )

/** The first rows of the first sheet; the first of them are the headers. */
const readSheet = async (
  bytes: Uint8Array<ArrayBuffer>,
  locale: string,
): Promise<readonly (readonly string[])[]> => {
  const formats = readFormats(parse(await readZipPart(bytes, 'xl/styles.xml')))
  const sheet = parse(await readZipPart(bytes, 'xl/worksheets/sheet1.xml'))
  const textOf = (cell: Element): string => {
    const text = cell.textContent
    const kind = cell.getAttribute('t')
    if (text === '' || kind === 'inlineStr') return decoded(text)
    if (kind === 'b') return text === '1' ? 'TRUE' : 'FALSE'
    return numberOf(text, formats[Number(cell.getAttribute('s') ?? 0)], locale)
  }
  return [...sheet.getElementsByTagName('row')].map((row) => [...row.children].map(textOf))
}

const endSignature = 0x06054b50
const endBytes = 22
const entryBytes = 46
const headBytes = 30

/** The place of the end record of a zip archive (APPNOTE.TXT of PKWARE, 4.3), which a comment may follow. */
const findEnd = (view: DataView): number => {
  for (let at = view.byteLength - endBytes; at >= 0; at -= 1)
    if (view.getUint32(at, true) === endSignature) return at
  throw new Error('This is not a zip archive.')
}

type Entry = { readonly name: string; readonly data: Uint8Array<ArrayBuffer> }

function* entriesOf(bytes: Uint8Array<ArrayBuffer>): Generator<Entry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  let at = view.getUint32(end + 16, true)
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const nameBytes = view.getUint16(at + 28, true)
    const head = view.getUint32(at + 42, true)
    const begin =
      head + headBytes + view.getUint16(head + 26, true) + view.getUint16(head + 28, true)
    const name = new TextDecoder().decode(
      bytes.subarray(at + entryBytes, at + entryBytes + nameBytes),
    )
    yield { name, data: bytes.subarray(begin, begin + view.getUint32(at + 20, true)) }
    at += entryBytes + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
}

/** The text of a part, which is compressed as all parts of a workbook are. */
const readZipPart = async (bytes: Uint8Array<ArrayBuffer>, wanted: string): Promise<string> => {
  const entry = [...entriesOf(bytes)].find(({ name }) => name === wanted)
  if (!entry) throw new Error(`The archive has no part ${wanted}.`)
  const inflated = new Blob([entry.data])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'))
  return new Response(inflated).text()
}
