/** The first rows of an export, as they will be in its file. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { open } from '../../../api/client.ts'
import { userKey } from '../../../api/queries.ts'
import { type ExportRequest, type Format, queryOf } from '../export-request.ts'
import { chunksOf } from '../run/run-export.ts'
import { readSheet } from './read-sheet.ts'

export const previewRows = 20
// A single row may have many MB.
const maxTextBytes = 65_536
const maxSheetBytes = 4_000_000

type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'sheet'; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'tooLong' }

export type Preview = Content & {
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
  const text = new TextDecoder().decode(bytes)
  return { kind: 'text', text: isWhole ? text : `${text} …` }
}

const readWorkbook = async (response: Response, locale: string): Promise<Content> => {
  const { bytes, isWhole } = await beginningOf(response, maxSheetBytes)
  return isWhole ? { kind: 'sheet', rows: await readSheet(bytes, locale) } : { kind: 'tooLong' }
}

/** No browser reads Parquet; its values are those of NDJSON. */
const shownFormats: Partial<Record<Format, Format>> = { parquet: 'ndjson' }

export const previewQuery = (request: ExportRequest, locale: string) => {
  const { entity, criteria, hasNames, isForExcel } = request
  const format = shownFormats[request.format] ?? request.format
  return queryOptions({
    queryKey: [userKey, 'list', entity, criteria, 'preview', format, hasNames, isForExcel, locale],
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
