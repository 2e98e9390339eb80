/** Describes the paths of tasks (routes.ts, own-routes.ts) for the OpenAPI document. */
import { type Catalog, type Entity, getEntity, writableColumns } from '../definitions/catalog.ts'
import {
  type DescribedFeature,
  type DescribedOperation,
  type JsonSchema,
  jsonContent,
  type Parameter,
  schemaRef,
} from '../http/described-operation.ts'
import { entityId, idempotencyKey, ifMatch, limit, page } from '../http/described-parameters.ts'
import { writtenSchema } from '../http/field-schema.ts'
import { statuses } from './own-tasks.ts'

const tag = 'Tasks'

/** Tasks under the records of every entity, a person's own work, and its calendar. */
export const taskFeature: DescribedFeature = {
  tags: [{ name: tag, description: 'Pieces of work attached to records.' }],
  operations: (catalog) => [
    ...[...catalog.entities.values()].flatMap((entity) => operationsOf(catalog, entity)),
    ...ownOperations,
  ],
  schemas: {
    Task: {
      description: 'A task with who updated it last, and the records that it is linked to.',
      allOf: [
        schemaRef('task'),
        {
          type: 'object',
          properties: {
            updated_by: { anyOf: [schemaRef('user'), { type: 'null' }] },
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

function relatedSchema(): JsonSchema {
  return {
    type: 'array',
    maxItems: 1000,
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
  const body = bodySchema(catalog)
  const rows: readonly Row[] = [
    {
      verb: 'listTasks',
      method: 'get',
      path,
      summary: `Tasks of a record of “${name}”`,
      description: 'Its own and those that are linked to it, soonest due first.',
      parameters: [entityId],
      answers: { 200: { description: 'The tasks.', content: jsonContent(listOf('Task')) } },
      faults: ['request.invalid', 'caller.forbidden', 'record.unknown'],
    },
    {
      verb: 'createTask',
      method: 'post',
      path,
      summary: `Attach a task to a record of “${name}”`,
      parameters: [entityId, idempotencyKey],
      body: { isRequired: true, schema: body, examples: bodyExamples },
      answers: {
        201: {
          description: 'Its id.',
          headers: ['ETag', 'Location', 'Idempotency-Replayed'],
          content: jsonContent(idSchema),
        },
      },
      faults: [...writeFaults, 'idempotency.key-reused'],
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
        schema: { ...body, minProperties: 1 },
        examples: { complete: { summary: 'Done', value: { is_completed: true } } },
      },
      answers: { 204: { description: 'Changed.', headers: ['ETag'] } },
      faults: [...writeFaults, 'task.unknown', 'record.stale'],
    },
    {
      verb: 'removeTask',
      method: 'delete',
      path: one,
      summary: `Remove a task of a record of “${name}”`,
      parameters: [entityId, taskId, ifMatch],
      answers: { 204: { description: 'Removed.' } },
      faults: [...targetFaults, 'task.unknown', 'record.stale'],
    },
  ]
  // A verb has no underscore, so no two entities and verbs make the same id.
  return rows.map(({ verb, ...row }) => ({ ...row, id: `${verb}_${key}`, tag: key }))
}

const targetFaults = ['request.invalid', 'caller.forbidden', 'record.unknown'] as const
const writeFaults = [...targetFaults, 'record.invalid'] as const

const listOf = (name: string): JsonSchema => ({ type: 'array', items: schemaRef(name) })
const idSchema: JsonSchema = {
  type: 'object',
  properties: { id: { type: 'integer' } },
  required: ['id'],
}

/** What may be written: the record comes from the path. */
const bodySchema = (catalog: Catalog): JsonSchema => {
  const columns = writableColumns(getEntity(catalog, 'task')).filter(
    ({ name }) => name !== 'key' && name !== 'entity_id',
  )
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        columns.map((column) => [column.name, writtenSchema(column, 'change')]),
      ),
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

const whose: readonly Parameter[] = [
  {
    name: 'assignee',
    in: 'query',
    description: '`me`, or the id of a user: then within your rights.',
    schema: { anyOf: [{ const: 'me' }, { type: 'integer', minimum: 1 }], default: 'me' },
  },
  {
    name: 'entity',
    in: 'query',
    description: "Only tasks of this entity's records.",
    schema: { type: 'string' },
  },
  {
    name: 'timeZone',
    in: 'query',
    description: 'Whose day today is; else the zone of the service.',
    schema: { type: 'string', examples: ['Europe/Zagreb'] },
  },
]

const statusParameter: Parameter = {
  name: 'status',
  in: 'query',
  description:
    'overdue: due before now; today: due on this day, also earlier; upcoming: due on a later day.',
  schema: { type: 'string', enum: [...statuses], default: 'open' },
}

const ownOperations: readonly DescribedOperation[] = [
  {
    method: 'get',
    path: '/api/tasks',
    id: 'listOwnTasks',
    tag,
    summary: "A person's work over all entities",
    parameters: [...whose, statusParameter, limit, page],
    answers: {
      200: {
        description: 'Soonest due first.',
        content: jsonContent({
          type: 'object',
          properties: { data: listOf('Task') },
          required: ['data'],
        }),
      },
    },
    faults: ['request.invalid', 'entity.unknown'],
  },
  {
    method: 'get',
    path: '/api/tasks/count',
    id: 'countOwnTasks',
    tag,
    summary: 'The number of tasks by status',
    parameters: whose,
    answers: {
      200: { description: 'All counters.', content: jsonContent(schemaRef('TaskCount')) },
    },
    faults: ['request.invalid', 'entity.unknown'],
  },
  {
    method: 'post',
    path: '/api/tasks/calendar',
    id: 'openCalendarFeed',
    tag,
    summary: 'Make the address of your calendar feed',
    description: 'For a calendar program to subscribe to. An address made before ends.',
    answers: {
      201: {
        description: 'The address, shown this once; who has it sees your open tasks.',
        content: jsonContent({
          type: 'object',
          properties: { url: { type: 'string', format: 'uri' } },
          required: ['url'],
        }),
      },
    },
    faults: ['request.invalid'],
  },
  {
    method: 'delete',
    path: '/api/tasks/calendar',
    id: 'closeCalendarFeed',
    tag,
    summary: 'End your calendar feed',
    answers: { 204: { description: 'Ended, or there was none.' } },
    faults: ['request.invalid'],
  },
  {
    method: 'get',
    path: '/api/tasks/calendar.ics',
    id: 'calendarFeed',
    tag,
    summary: 'Open tasks with a due date as iCalendar',
    parameters: [
      {
        name: 'key',
        in: 'query',
        required: true,
        description: 'Of the address that was made for you.',
        schema: { type: 'string' },
      },
    ],
    isPublic: true,
    answers: {
      200: {
        description: 'RFC 5545.',
        content: { 'text/calendar': { schema: { type: 'string' } } },
      },
    },
    faults: ['request.invalid', 'task.feed-unknown'],
  },
]
