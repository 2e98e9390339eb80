/** Every export format, by name; add a format as a new row. */
import { apiError } from '../errors.ts'
import { type Accepted, qualityOf, readAccept } from '../http/accept.ts'
import { shorten } from '../issues.ts'
import type { ExportFormat } from './export-format.ts'
import { csv } from './formats/csv.ts'
import { json, ndjson } from './formats/json-lines.ts'
import { parquet } from './formats/parquet.ts'
import { xlsx } from './formats/xlsx.ts'

const exportFormats: readonly ExportFormat[] = [csv, xlsx, ndjson, json, parquet]

/** The names that `?format=` accepts. */
export const exportFormatNames = exportFormats.map((format) => format.name)

/** The format of a checked name. */
export const getFormat = (name: string): ExportFormat => {
  const found = exportFormats.find((format) => format.name === name)
  if (!found) throw new Error(`There is no export format ${name}.`)
  return found
}

/** By `?format=`, else by the header `Accept`, else csv; 406 when nothing fits. */
export const chooseFormat = (
  name: string | undefined,
  accept: string | undefined,
): ExportFormat => {
  const named = exportFormats.find((format) => format.name === name)
  if (named) return named
  const chosen = formatByAccept(readAccept(accept))
  if (chosen) return chosen
  throw apiError(
    'export.not-acceptable',
    `None of ${shorten(accept ?? '', 200)} is an export format.`,
  )
}

// Media types of CSV files, or that clients send when they accept any text or any file. Many clients send
// `application/json` with every JSON body, for the errors that they expect; it asks for no format.
const namesOfCsv = [
  'text/csv',
  'application/csv',
  'application/vnd.ms-excel',
  'application/octet-stream',
  'text/plain',
  'application/json',
]

/** CSV unless the header names another format than JSON and prefers it to CSV. */
const formatByAccept = (accepted: Accepted): ExportFormat | undefined => {
  if (accepted.size === 0) return csv
  const qualityOfCsv =
    accepted.get('text/csv') ?? Math.max(...namesOfCsv.map((type) => qualityOf(accepted, type)))
  const others = exportFormats
    .filter((format) => format !== csv && format !== json)
    .map((format) => ({ format, type: format.contentType.split(';')[0] ?? '' }))
  const [wanted] = others
    .map(({ format, type }) => ({ format, quality: accepted.get(type) ?? 0 }))
    .sort((a, b) => b.quality - a.quality)
  if (wanted && wanted.quality > qualityOfCsv) return wanted.format
  if (qualityOfCsv > 0) return csv
  return others.find(({ type }) => qualityOf(accepted, type) > 0)?.format
}
