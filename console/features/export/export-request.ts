/** An export as it is asked for: by the page, and on a command line. */
import type { Criteria } from '../../api/types.ts'

export const formats = ['csv', 'xlsx', 'ndjson', 'json', 'parquet'] as const
export type Format = (typeof formats)[number]

export type ExportRequest = {
  readonly entity: string
  /** Without `$select` the columns are those of the definition. */
  readonly criteria: Omit<Criteria, '$count'>
  readonly format: Format
  /** Of CSV alone: whether it begins with a byte order mark. */
  readonly hasBom: boolean
}

type Query = Readonly<Record<string, string | boolean>>

export const queryOf = ({ format, hasBom }: ExportRequest): Query => ({
  format,
  ...(format === 'csv' && hasBom && { bom: true }),
})

export const fileNameOf = ({ entity, format }: ExportRequest): string =>
  `${entity}-${new Date().toISOString().slice(0, 10)}.${format}`

/** A text that a shell takes as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Both lines take the token from the environment, so that it stands in no history of a shell. */
export const curlLine = (request: ExportRequest, service: string): string => {
  const query = Object.entries(queryOf(request)).map(([name, value]) => `${name}=${value}`)
  return [
    `curl -sSf ${quoted(`${service}/${request.entity}/export?${query.join('&')}`)}`,
    `-H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(request.criteria))} -o ${fileNameOf(request)}`,
  ].join(' ')
}

export const docketLine = (request: ExportRequest, service: string): string =>
  [
    `docket export ${request.entity} --url ${quoted(service)} --format ${request.format}${request.format === 'csv' && request.hasBom ? ' --bom' : ''}`,
    `--criteria ${quoted(JSON.stringify(request.criteria))} --out ${fileNameOf(request)}`,
  ].join(' ')
