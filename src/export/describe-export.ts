/** The export as the OpenAPI document describes it: an example in every format, and its headers. */
import type { Catalog, Column, Entity } from '../definitions/catalog.ts'
import type { ShownFile } from '../definitions/field-types/files.ts'
import { isFileColumn } from '../definitions/files.ts'
import { answeredExampleOf } from '../http/openapi/example-value.ts'
import type { HeaderDescriptions, Media } from '../http/openapi/operation.ts'
import { fullAccess } from '../query/access.ts'
import { noCriteria } from '../query/criteria/criteria.ts'
import { chooseFormat, exportFormatNames } from './export-formats.ts'
import { planExport } from './plan-export.ts'

export const exportHeaders: HeaderDescriptions = {
  'Content-Disposition': {
    description: 'Name of the file.',
    schema: { type: 'string', examples: ['attachment; filename="Purchase-orders-2026-11-26.csv"'] },
  },
  'Content-Encoding': {
    description: '`zstd` or `gzip`, when `Accept-Encoding` names one of them.',
    schema: { type: 'string', enum: ['zstd', 'gzip'] },
  },
  'X-Omitted-Columns': {
    description: 'The number of columns that the caller may not read; they are omitted.',
    schema: { type: 'integer', minimum: 1 },
  },
  Trailer: {
    description:
      'With `manifest=true`: the answer ends with the trailers `X-Row-Count` (the number of records) and `Digest` (`sha-256=…` over the bytes as they were sent).',
    schema: { type: 'string', const: 'X-Row-Count, Digest' },
  },
}

/** Every format of the export; a format without a row here is a download of bytes. */
export const exportContent = (catalog: Catalog, entity: Entity): Record<string, Media> => {
  const record = exportExample(catalog, entity)
  const cells = exportExample(catalog, entity, true)
  const lines = [Object.keys(cells), Object.values(cells)]
  const csv = lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
  const described: Record<string, Media> = {
    csv: { schema: { type: 'string' }, examples: { csv: { value: csv } } },
    ndjson: {
      schema: { type: 'string', description: 'One object per line.' },
      examples: { ndjson: { value: `${JSON.stringify(record)}\n` } },
    },
    json: {
      schema: { type: 'array', items: { type: 'object' } },
      examples: { json: { value: [record] } },
    },
  }
  return Object.fromEntries(
    exportFormatNames.map((name) => [
      chooseFormat(name, undefined).contentType.split(';')[0] ?? '',
      described[name] ?? { schema: { type: 'string', format: 'binary' } },
    ]),
  )
}

/** One record under the headers of the export. */
const exportExample = (
  catalog: Catalog,
  entity: Entity,
  isText = false,
): Readonly<Record<string, unknown>> => {
  const { columns, select } = planExport({
    catalog,
    entity,
    access: fullAccess,
    scope: 'all',
    criteria: noCriteria,
    page: undefined,
    timeZone: 'UTC',
  })
  return Object.fromEntries(
    columns.map(({ header, ref }) => {
      const join = select.joins.find(({ alias }) => alias === ref.alias)
      const value = answeredExampleOf(join?.entity ?? entity, ref.column) ?? null
      return [header, isText ? printed(ref.column, value) : value]
    }),
  )
}

/** A text has the names of files alone. */
const printed = (column: Column, value: unknown): unknown =>
  isFileColumn(column)
    ? [value]
        .flat()
        .map((one) => (one as ShownFile).filename)
        .join('; ')
    : value

const csvCell = (value: unknown): string => {
  const text =
    typeof value === 'object' ? (value === null ? '' : JSON.stringify(value)) : `${value}`
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
