/** Every export format, by name; a new one is a new row. */
import { fault } from '../errors.ts'
import type { ExportFormat } from './export-format.ts'
import { csv } from './formats/csv.ts'
import { json, ndjson } from './formats/json-lines.ts'
import { xlsx } from './formats/xlsx.ts'

const exportFormats: readonly ExportFormat[] = [csv, xlsx, ndjson, json]

/** The names that `?format=` takes. */
export const exportFormatNames = exportFormats.map((format) => format.name)

/** The format of a name that is known to be one. */
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
  if (accept === undefined) return csv
  for (const wanted of acceptedTypes(accept)) {
    // Whoever takes anything, or any text, gets the CSV that the interface specifies.
    if (wanted === '*/*' || wanted === 'text/*') return csv
    const found = exportFormats.find(({ contentType }) => contentType.split(';')[0] === wanted)
    if (found) return found
    if (wanted === 'application/*') return json
  }
  throw fault('export.not-acceptable', `None of ${accept.slice(0, 200)} is an export format.`)
}

/** Media types of the header, the most wanted first (RFC 9110, 12.5.1). */
const acceptedTypes = (accept: string): string[] =>
  accept
    .split(',')
    .map((part) => {
      const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { type, quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ type }) => type)
