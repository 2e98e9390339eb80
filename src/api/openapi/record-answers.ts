/** What the paths of records answer, as the OpenAPI document shows it. */
import {
  type Answer,
  type JsonSchema,
  jsonContent,
  schemaRef,
} from '../../http/described-operation.ts'

/** One page of records. */
export const pageOf = (items: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { data: { type: 'array', items } },
  required: ['data'],
})

/** One page of a search, whose `$select` may name other fields. */
export const foundPage = (record: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: {
    data: { type: 'array', items: { anyOf: [record, schemaRef('SelectedFields')] } },
    total: { type: 'integer', minimum: 0, description: 'With `$count`: all that match.' },
  },
  required: ['data'],
})

/** A record with its entity tag. */
export const recordAnswer = (description: string, record: JsonSchema): Answer => ({
  description,
  headers: ['ETag'],
  content: jsonContent(record),
})

/** The answer of a create; `isForAll`: every role that may create the record may read it too. */
export const createdAnswer = (record: JsonSchema, isForAll: boolean): Answer => ({
  ...(isForAll
    ? recordAnswer('The new record.', record)
    : recordAnswer('The new record; an empty object for a role that may not read it.', {
        anyOf: [record, { type: 'object', maxProperties: 0 }],
      })),
  headers: ['ETag', 'Location', 'Idempotency-Replayed'],
})
