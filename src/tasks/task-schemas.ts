/** Tasks as the OpenAPI document describes them. */
import { type Catalog, type Column, getEntity, writableColumns } from '../definitions/catalog.ts'
import { answeredSchema, writtenSchema } from '../http/openapi/field-schema.ts'
import {
  component,
  type Examples,
  type JsonSchema,
  objectOf,
  type Schemas,
  schemaRef,
} from '../http/openapi/operation.ts'
import { userRecord } from './task-json.ts'
import { keptFields, maxRelatedEntities } from './write/task-body.ts'

const related: JsonSchema = {
  type: 'array',
  maxItems: maxRelatedEntities,
  items: objectOf(
    {
      key: { type: 'string', description: 'Key of the entity.' },
      entity_id: { type: 'integer', minimum: 1 },
    },
    { additionalProperties: false },
  ),
}

/** A task in the list of its record. */
export const taskUnderRecord = component('TaskUnderRecord', {
  description: 'A task with who updated it last, and the records that it is linked to.',
  allOf: [
    schemaRef('task'),
    objectOf({
      _version: {
        type: 'integer',
        minimum: 1,
        description: 'The number of its entity tag: `"<number>"` is the value of `If-Match`.',
      },
      updated_by: { anyOf: [schemaRef('UserRecord'), { type: 'null' }] },
      related_entities: related,
    }),
  ],
})

/** The user who changed a task last: every key, with a value of its type for every caller. */
export const taskSchemas = (catalog: Catalog): Schemas => {
  const user = getEntity(catalog, 'user')
  const properties = [...userRecord].map(([name, hidden]) => {
    const column = user.columnsByName.get(name)
    return [name, column ? userFieldSchema(column, hidden) : { const: JSON.parse(hidden) }] as const
  })
  return {
    UserRecord: objectOf(Object.fromEntries(properties), {
      title: 'User record',
      description:
        'Who changed it last. A field that your role may not read is an empty text, 0, the year 1970, `null`, or `false` (`is_active`: `true`): without the permission to read `user` that is everything but `id` and `full_name`.',
      additionalProperties: false,
    }),
  }
}

// Null and the empty text may stand for a value, so a format does not hold.
const userFieldSchema = (column: Column, hidden: string): JsonSchema => {
  const { format, ...schema } = answeredSchema({
    ...column,
    field: { ...column.field, required: hidden !== 'null' },
  } as Column)
  return column.type.refusesEmpty ? schema : { ...schema, ...(format !== undefined && { format }) }
}

/**
 * What may be written of a task: its record comes from the path. A change accepts a task as it was read,
 * too.
 */
export const taskSchema = (catalog: Catalog, body: 'create' | 'change'): JsonSchema => {
  const columns = writableColumns(getEntity(catalog, 'task')).filter(
    ({ name }) => name !== 'key' && name !== 'entity_id',
  )
  const kept = { description: 'As it was read; it changes nothing.' }
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(columns.map((column) => [column.name, writtenSchema(column, body)])),
      related_entities: related,
      ...(body === 'change' && Object.fromEntries(keptFields.map((name) => [name, kept]))),
    },
    additionalProperties: false,
    ...(body === 'change' && { minProperties: 1 }),
  }
}

export const changeExamples: Examples = {
  complete: { summary: 'Done', value: { is_completed: true } },
}

export const createExamples: Examples = {
  assigned: {
    summary: 'Assigned, and due',
    value: {
      description: 'Ask for a better price',
      is_completed: false,
      due_date: '2026-12-01 09:00:00',
      assigne_id: 2,
      type: 'native',
      payload: '{"phone":"+385 1 000 000"}',
    },
  },
  linked: {
    summary: 'Linked to a further record',
    value: {
      description: 'Compare the offers',
      related_entities: [{ key: 'user', entity_id: 1 }],
    },
  },
}
