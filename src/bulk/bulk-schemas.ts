/** The body and the answer of a bulk write as the OpenAPI document describes them. */
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { maxRecordId } from '../http/endpoint/parameters.ts'
import { schemaNames } from '../http/openapi/entity-schemas.ts'
import {
  component,
  type Examples,
  type JsonSchema,
  objectOf,
  schemaRef,
} from '../http/openapi/operation.ts'
import { getWorkflow } from '../workflow/workflow.ts'
import { actionBody } from '../workflow/workflow-schemas.ts'
import { bulkOperations } from './bulk-operations.ts'
import { maxRecords } from './bulk-request.ts'
import { type OperationName, operationNames } from './operation-names.ts'

type Place = { readonly catalog: Catalog; readonly entity: Entity }

const closed = { additionalProperties: false } as const
const id: JsonSchema = { type: 'integer', minimum: 1, maximum: maxRecordId }

const isTrue = (name: string): JsonSchema => objectOf({ [name]: { const: true } }, closed)

/** `do` of each operation. */
const wanted: Readonly<Record<OperationName, (place: Place) => JsonSchema>> = {
  change: ({ catalog, entity }) =>
    objectOf({ change: schemaRef(schemaNames(catalog, entity).change) }, closed),
  action: ({ entity }) => actionBody(entity, getWorkflow(entity)),
  remove: () => isTrue('remove'),
  takeOwnership: () => isTrue('takeOwnership'),
}

const available = (entity: Entity): readonly OperationName[] =>
  operationNames.filter((name) => bulkOperations[name].lacks?.(entity) === undefined)

export const bulkBody = (place: Place): JsonSchema => {
  const common = {
    do: { anyOf: available(place.entity).map((name) => wanted[name](place)) },
    versions: {
      type: 'object',
      description:
        'By id, the version that you have read: a record that has another one is refused.',
      additionalProperties: id,
      maxProperties: maxRecords,
    },
    dryRun: { type: 'boolean', description: 'Write nothing, and say what would happen.' },
  }
  const ids = { type: 'array', items: id, minItems: 1, maxItems: maxRecords, uniqueItems: true }
  const criteria = objectOf(
    {
      $where: { type: 'object' },
      $search: { type: 'string' },
      $orderBy: { type: 'array', items: { type: 'string' }, minItems: 1 },
    },
    { ...closed, required: [], description: 'The records that match, as in a search.' },
  )
  const withTargets = (name: string, schema: JsonSchema): JsonSchema => ({
    ...objectOf({ [name]: schema, ...common }, closed),
    required: [name, 'do'],
  })
  return { anyOf: [withTargets('ids', ids), withTargets('criteria', criteria)] }
}

export const bulkExamples = ({ entity }: Place): Examples =>
  Object.fromEntries([
    ['dryRun', { value: { ids: [1, 2], do: { remove: true }, dryRun: true } }],
    ...(entity.hasOwner
      ? [['takeOwnership', { value: { ids: [1, 2], do: { takeOwnership: true } } }]]
      : []),
  ])

const outcome = component(
  'BulkOutcome',
  objectOf({
    id: { type: 'integer' },
    status: {
      type: 'string',
      enum: ['done', 'unchanged', 'refused'],
      description: '`unchanged`: the record was so already.',
    },
    version: {
      type: ['integer', 'null'],
      description: 'The version that the record has now; null if it was refused or removed.',
    },
    code: { type: ['string', 'null'], description: 'Why it was refused: the code of an error.' },
    detail: { type: ['string', 'null'] },
    errors: {
      type: 'array',
      description: 'The first issues of a refused record.',
      items: objectOf({ path: { type: 'string' }, message: { type: 'string' } }),
    },
  }),
)

const count: JsonSchema = { type: 'integer', minimum: 0 }

export const bulkAnswer = component(
  'BulkAnswer',
  objectOf({
    dryRun: { type: 'boolean' },
    counts: objectOf({ done: count, unchanged: count, refused: count }),
    data: { type: 'array', items: outcome },
  }),
)
