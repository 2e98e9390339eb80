/** An export as the page and command lines request it. */
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
  /** For CSV: whether Excel opens it by a double click. */
  readonly isForExcel: boolean
  /** Whether it has names of choices, steps and fields in place of keys. */
  readonly hasNames: boolean
  /** The language of the names, and of the user. */
  readonly language: string
  /** The day of the user, for the name of the file. */
  readonly day: string
}

type Query = Readonly<Record<string, string | boolean>>

// Where decimals have a comma, Excel expects a semicolon between fields.
const hasDecimalComma = (language: string): boolean =>
  new Intl.NumberFormat(language)
    .formatToParts(1.5)
    .some(({ type, value }) => type === 'decimal' && value === ',')

const separatorOf = ({ format, isForExcel, language }: ExportRequest) =>
  format === 'csv' && isForExcel && hasDecimalComma(language) ? 'semicolon' : undefined

export const queryOf = (request: ExportRequest): Query => {
  const separator = separatorOf(request)
  return {
    format: request.format,
    ...(request.hasNames && { names: true }),
    ...(request.format === 'csv' && request.isForExcel && { bom: true }),
    ...(separator && { separator }),
  }
}

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
  const { bom, separator } = queryOf(request)
  return [
    `docket export ${request.entity} --url ${quoted(service)} --format ${request.format}${bom ? ' --bom' : ''}${separator ? ` --separator ${separator}` : ''}${request.hasNames ? ` --names --language ${request.language}` : ''}`,
    `--criteria ${quoted(JSON.stringify(request.criteria))} --out ${fileNameOf(request)}`,
  ].join(' ')
}
