/** Describes the export (src/export/routes.ts), entity by entity, with an example of its columns. */
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import { chooseFormat, exportFormatNames } from '../../export/export-formats.ts'
import { planExport } from '../../export/plan-export.ts'
import {
  type DescribedFeature,
  type DescribedOperation,
  type Media,
  type Parameter,
  schemaRef,
} from '../../http/described-operation.ts'
import { exampleOf } from '../../http/example-value.ts'
import { fullAccess } from '../../query/access.ts'
import { noCriteria } from '../../query/criteria.ts'
import { criteriaExamples } from './criteria-schema.ts'

/** `POST /<entity>/export` of every entity. */
export const exportFeature: DescribedFeature = {
  operations: (catalog) =>
    [...catalog.entities.values()].map((entity) => exportOperation(catalog, entity)),
  headers: {
    'Content-Disposition': {
      description: 'Name of the file.',
      schema: { type: 'string', examples: ['attachment; filename="purchase_order.csv"'] },
    },
    'Content-Encoding': {
      description: '`zstd` or `gzip`, when `Accept-Encoding` names one of them.',
      schema: { type: 'string', enum: ['zstd', 'gzip'] },
    },
    'X-Omitted-Columns': {
      description: 'The number of columns that the caller may not read; they are left out.',
      schema: { type: 'integer', minimum: 1 },
    },
    Trailer: {
      description:
        'With `manifest=true`: the answer ends with the trailers `X-Row-Count` (the number of records) and `Digest` (`sha-256=…` over the bytes as they were sent).',
      schema: { type: 'string', const: 'X-Row-Count, Digest' },
    },
  },
}

const exportOperation = (catalog: Catalog, entity: Entity): DescribedOperation => ({
  method: 'post',
  path: `/${entity.key}/export`,
  id: `export_${entity.key}`,
  tag: entity.key,
  summary: `Export “${entity.name}” as CSV, Excel or JSON`,
  description:
    'Streams every record that the criteria match, from one snapshot. After a fault on the way the connection is cut, so that no short file can pass for a whole one. The format comes from `format`, else from `Accept`, else it is CSV.',
  parameters: exportParameters,
  body: {
    isRequired: false,
    schema: schemaRef('ExportCriteria'),
    examples: criteriaExamples(entity),
  },
  answers: {
    200: {
      description: 'The records, in the columns of the definition’s `exportSettings`.',
      headers: Object.keys(exportFeature.headers ?? {}),
      content: contentOf(catalog, entity),
    },
  },
  errors: [
    'request.invalid',
    'criteria.invalid',
    'caller.forbidden',
    'export.not-acceptable',
    'export.cell-too-long',
    'export.http-too-old',
  ],
})

const most = 1_000_000_000
const exportParameters: readonly Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    description: 'Records to give; without it all of them.',
    schema: { type: 'integer', minimum: 1, maximum: most },
  },
  {
    name: 'page',
    in: 'query',
    description: 'Number of the page of `limit` records, from 1; needs `limit`.',
    schema: { type: 'integer', minimum: 1, maximum: most },
  },
  {
    name: 'format',
    in: 'query',
    description: 'Goes before the header `Accept`.',
    schema: { type: 'string', enum: exportFormatNames },
  },
  {
    name: 'bom',
    in: 'query',
    description: 'CSV begins with a byte order mark, for Excel.',
    schema: { type: 'boolean', default: false },
  },
  {
    name: 'manifest',
    in: 'query',
    description: 'The answer ends with the trailers `X-Row-Count` and `Digest`.',
    schema: { type: 'boolean', default: false },
  },
]

/** Every format of the export; one without a row here is bytes to save. */
const contentOf = (catalog: Catalog, entity: Entity): Record<string, Media> => {
  const record = exportExample(catalog, entity)
  const lines = [Object.keys(record), Object.values(record)]
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
const exportExample = (catalog: Catalog, entity: Entity): Readonly<Record<string, unknown>> => {
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
      return [header, exampleOf(join?.entity ?? entity, ref.column) ?? null]
    }),
  )
}

const csvCell = (value: unknown): string => {
  const text =
    typeof value === 'object' ? (value === null ? '' : JSON.stringify(value)) : `${value}`
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
