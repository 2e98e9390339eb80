/** Describes the paths of tasks (routes.ts, own-routes.ts) for the OpenAPI document. */
import {
  type Catalog,
  type Column,
  type Entity,
  getEntity,
  writableColumns,
} from '../definitions/catalog.ts'
import {
  type DescribedFeature,
  type DescribedOperation,
  type JsonSchema,
  jsonContent,
  type Parameter,
  schemaRef,
} from '../http/described-operation.ts'
import { entityId, idempotencyKey, ifMatch } from '../http/described-parameters.ts'
import { answeredSchema, writtenSchema } from '../http/field-schema.ts'
import { ownOperations, taskTag } from './own/described-own-tasks.ts'
import { statuses } from './own/own-tasks.ts'
import { userRecord } from './task-json.ts'
import { keptFields, maxRelatedEntities } from './write/task-body.ts'

/** Tasks under the records of every entity, a person's own work, and its calendar. */
export const taskFeature: DescribedFeature = {
  tags: [{ name: taskTag, description: 'Pieces of work attached to records.' }],
  operations: (catalog) => [
    ...[...catalog.entities.values()].flatMap((entity) => operationsOf(catalog, entity)),
    ...ownOperations,
  ],
  schemasOf: (catalog) => ({ UserRecord: userRecordSchema(getEntity(catalog, 'user')) }),
  schemas: {
    TaskUnderRecord: {
      description: 'A task with who updated it last, and the records that it is linked to.',
      allOf: [
        schemaRef('task'),
        {
          type: 'object',
          properties: {
            updated_by: { anyOf: [schemaRef('UserRecord'), { type: 'null' }] },
            related_entities: relatedSchema(),
          },
          required: ['updated_by', 'related_entities'],
        },
      ],
    },
    TaskCount: {
      type: 'object',
      properties: Object.fromEntries(
        statuses.map((status) => [status, { type: 'integer', minimum: 0 }]),
      ),
      required: [...statuses],
    },
  },
}

/** Every key, whatever the caller may read: null in place of what that is not. */
function userRecordSchema(user: Entity): JsonSchema {
  const properties = userRecord.map((name) => {
    const column = user.columnsByName.get(name)
    // One that the role hides is null always.
    if (!column) return [name, { type: 'null' }] as const
    const field = { ...column.field, required: false }
    return [name, answeredSchema({ ...column, field } as Column)] as const
  })
  return {
    type: 'object',
    title: 'User record',
    description:
      'Who changed it last. Null stands for a field that your role may not read: without the right to read `user` that is everything but `id` and `full_name`.',
    properties: Object.fromEntries(properties),
    required: [...userRecord],
    additionalProperties: false,
  }
}

function relatedSchema(): JsonSchema {
  return {
    type: 'array',
    maxItems: maxRelatedEntities,
    items: {
      type: 'object',
      properties: {
        key: { type: 'string', description: 'Key of the entity.' },
        entity_id: { type: 'integer', minimum: 1 },
      },
      required: ['key', 'entity_id'],
      additionalProperties: false,
    },
  }
}

type Row = Omit<DescribedOperation, 'id' | 'tag'> & { readonly verb: string }

const taskId: Parameter = {
  name: 'taskId',
  in: 'path',
  required: true,
  description: 'Id of a task that belongs to the record or is linked to it.',
  schema: { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
}

const operationsOf = (catalog: Catalog, { key, name }: Entity): DescribedOperation[] => {
  const path = `/${key}/{entityId}/task`
  const one = `/${key}/{entityId}/{taskId}`
  const rows: readonly Row[] = [
    {
      verb: 'listTasks',
      method: 'get',
      path,
      summary: `Tasks of a record of “${name}”`,
      description: 'Its own and those that are linked to it, soonest due first.',
      parameters: [entityId],
      answers: {
        200: { description: 'The tasks.', content: jsonContent(listOf('TaskUnderRecord')) },
      },
      errors: ['request.invalid', 'caller.forbidden', 'record.unknown'],
    },
    {
      verb: 'createTask',
      method: 'post',
      path,
      summary: `Attach a task to a record of “${name}”`,
      parameters: [entityId, idempotencyKey],
      body: {
        isRequired: true,
        schema: bodySchema(catalog, 'create'),
        examples: bodyExamples,
      },
      answers: {
        201: {
          description: 'Its id.',
          headers: ['ETag', 'Location', 'Idempotency-Replayed'],
          content: jsonContent(idSchema),
        },
      },
      errors: [...writeErrors, 'idempotency.key-reused'],
    },
    {
      verb: 'changeTask',
      method: 'put',
      path: one,
      summary: `Change or complete a task of a record of “${name}”`,
      description:
        'Any of the fields. Whom it is assigned to may complete and reopen it without the right `tasks`.',
      parameters: [entityId, taskId, ifMatch],
      body: {
        isRequired: true,
        schema: changeSchema(bodySchema(catalog, 'change')),
        examples: { complete: { summary: 'Done', value: { is_completed: true } } },
      },
      answers: { 204: { description: 'Changed.', headers: ['ETag'] } },
      errors: [...writeErrors, 'task.unknown', 'record.stale'],
    },
    {
      verb: 'removeTask',
      method: 'delete',
      path: one,
      summary: `Remove a task of a record of “${name}”`,
      description: 'With a slash at the end of the path, as every path, or without.',
      parameters: [entityId, taskId, ifMatch],
      answers: { 204: { description: 'Removed.' } },
      errors: [...targetErrors, 'task.unknown', 'record.stale'],
    },
  ]
  // A verb has no underscore, so no two entities and verbs make the same id.
  return rows.map(({ verb, ...row }) => ({ ...row, id: `${verb}_${key}`, tag: key }))
}

const targetErrors = ['request.invalid', 'caller.forbidden', 'record.unknown'] as const
const writeErrors = [...targetErrors, 'record.invalid'] as const

const listOf = (name: string): JsonSchema => ({ type: 'array', items: schemaRef(name) })
const idSchema: JsonSchema = {
  type: 'object',
  properties: { id: { type: 'integer' } },
  required: ['id'],
}

/** A change takes back what was read, too. */
const changeSchema = (body: { readonly properties: JsonSchema }): JsonSchema => ({
  ...body,
  properties: {
    ...body.properties,
    ...Object.fromEntries(
      keptFields.map((name) => [name, { description: 'As it was read; it changes nothing.' }]),
    ),
  },
  minProperties: 1,
})

/** What may be written: the record comes from the path. */
const bodySchema = (
  catalog: Catalog,
  body: 'create' | 'change',
): JsonSchema & { readonly properties: JsonSchema } => {
  const columns = writableColumns(getEntity(catalog, 'task')).filter(
    ({ name }) => name !== 'key' && name !== 'entity_id',
  )
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(columns.map((column) => [column.name, writtenSchema(column, body)])),
      related_entities: relatedSchema(),
    },
    additionalProperties: false,
  }
}

const bodyExamples = {
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
