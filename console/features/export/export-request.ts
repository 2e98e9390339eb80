/** An export as the page and command lines request it. */
import type { CsvDialectName } from '../../../src/definitions/values/rules/csv-dialects.ts'
import type { Criteria } from '../../api/types.ts'

/** The most used format is first. */
export const formats = ['xlsx', 'csv', 'ndjson', 'json', 'parquet'] as const
export type Format = (typeof formats)[number]

export type ExportRequest = {
  readonly entity: string
  /** The name of its records. */
  readonly name: string
  /** Without `$select` the columns are those of the definition. */
  readonly criteria: Omit<Criteria, '$count'>
  readonly format: Format
  /** The dialect of CSV; undefined: that of the project. */
  readonly csv: CsvDialectName | undefined
  /** Whether it has names of choices, steps and fields in place of keys. */
  readonly hasNames: boolean
  /** The language of the names, and of the user. */
  readonly language: string
  /** The day of the user, for the name of the file. */
  readonly day: string
}

type Query = Readonly<Record<string, string | boolean>>

export const queryOf = ({ format, csv, hasNames }: ExportRequest): Query => ({
  format,
  ...(hasNames && { names: true }),
  ...(format === 'csv' && csv && { dialect: csv }),
})

/** Letters, digits and hyphens, which file systems and shells take as they are. */
export const fileNameOf = ({ name, entity, format, day }: ExportRequest): string => {
  const words = name
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .slice(0, 80)
  return `${words.toWellFormed().replaceAll(/^-+|[-\uFFFD]+$/g, '') || entity}-${day}.${format}`
}

/** A text that a shell takes as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Command lines take the token from the environment, so that no shell history has it. */
export const curlLine = (request: ExportRequest, service: string): string => {
  const query = Object.entries(queryOf(request)).map(([name, value]) => `${name}=${value}`)
  return [
    `curl -sSf ${quoted(`${service}/${request.entity}/export?${query.join('&')}`)}`,
    `-H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'${request.hasNames ? ` -H 'Accept-Language: ${request.language}'` : ''}`,
    `-d ${quoted(JSON.stringify(request.criteria))} -o ${fileNameOf(request)}`,
  ].join(' ')
}

export const docketLine = (request: ExportRequest, service: string): string => {
  const { dialect } = queryOf(request)
  return [
    `docket export ${request.entity} --url ${quoted(service)} --format ${request.format}${dialect ? ` --dialect ${dialect}` : ''}${request.hasNames ? ` --names --language ${request.language}` : ''}`,
    `--criteria ${quoted(JSON.stringify(request.criteria))} --out ${fileNameOf(request)}`,
  ].join(' ')
}
