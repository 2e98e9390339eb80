/** An export as it is asked for: by the page, and on a command line. */
import type { Criteria } from '../../api/types.ts'

/** What most users want is first. */
export const formats = ['xlsx', 'csv', 'ndjson', 'json', 'parquet'] as const
export type Format = (typeof formats)[number]

export type ExportRequest = {
  readonly entity: string
  /** Without `$select` the columns are those of the definition. */
  readonly criteria: Omit<Criteria, '$count'>
  readonly format: Format
  /** Of CSV alone: whether it begins with a byte order mark. */
  readonly hasBom: boolean
  /** Whether it has names of choices, steps and fields in place of keys. */
  readonly hasNames: boolean
  /** That of the names. */
  readonly language: string
  /** The day of the user, which the file is named after. */
  readonly day: string
}

type Query = Readonly<Record<string, string | boolean>>

export const queryOf = ({ format, hasBom, hasNames }: ExportRequest): Query => ({
  format,
  ...(hasNames && { names: true }),
  ...(format === 'csv' && hasBom && { bom: true }),
})

export const fileNameOf = ({ entity, format, day }: ExportRequest): string =>
  `${entity}-${day}.${format}`

/** A text that a shell takes as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Both lines take the token from the environment, so that it stands in no history of a shell. */
export const curlLine = (request: ExportRequest, service: string): string => {
  const query = Object.entries(queryOf(request)).map(([name, value]) => `${name}=${value}`)
  return [
    `curl -sSf ${quoted(`${service}/${request.entity}/export?${query.join('&')}`)}`,
    `-H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'${request.hasNames ? ` -H 'Accept-Language: ${request.language}'` : ''}`,
    `-d ${quoted(JSON.stringify(request.criteria))} -o ${fileNameOf(request)}`,
  ].join(' ')
}

export const docketLine = (request: ExportRequest, service: string): string =>
  [
    `docket export ${request.entity} --url ${quoted(service)} --format ${request.format}${request.format === 'csv' && request.hasBom ? ' --bom' : ''}${request.hasNames ? ` --names --language ${request.language}` : ''}`,
    `--criteria ${quoted(JSON.stringify(request.criteria))} --out ${fileNameOf(request)}`,
  ].join(' ')
