/** The first rows of an export, as they will be in its file: text as it is, a workbook as a table. */

import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { open } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import { Waiting } from '../../parts/notes.tsx'
import { ScrolledBody } from '../../parts/scrolled-body.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import { useDelayed } from '../values/use-delayed.ts'
import { type ExportRequest, type Format, queryOf } from './export-request.ts'
import { readSheet } from './read-sheet.ts'
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
