/** Prints tasks as JSON in SQL, and describes them, as docs/tasks.md does. */
import { int, type Sql, sql, table } from '../database/sql.ts'
import {
  type Catalog,
  type Column,
  type Entity,
  getEntity,
  writableColumns,
} from '../definitions/catalog.ts'
import { answeredSchema, writtenSchema } from '../http/openapi/field-schema.ts'
import {
  component,
  type Examples,
  type JsonSchema,
  objectOf,
  type Schemas,
  schemaRef,
} from '../http/openapi/operation.ts'
import { type Access, shownIn } from '../query/access.ts'
import { compileScope } from '../query/compile-select.ts'
import { jsonObject, jsonValue } from '../query/record-json.ts'
import { readableOfOthers } from '../query/user-visibility.ts'
import { keptFields, maxRelatedEntities } from './task-body.ts'

// JSON of the right type without a meaning, in place of a value that the caller may not read.
const noText = '""'
const noId = '0'
const noTime = '"1970-01-01T00:00:00.000Z"'

/**
 * The user record: these keys alone, whatever fields a project has added to users, each with what stands for
 * a value that the caller may not read.
 */
const userRecord: ReadonlyMap<string, string> = new Map([
  ['id', noId],
  ['_is_deleted', 'false'],
  ['_created_by', 'null'],
  ['_updated_by', 'null'],
  ['_created_at', noTime],
  ['_updated_at', noTime],
  ['identity_provider_user_id', noText],
  ['first_name', noText],
  ['last_name', noText],
  ['full_name', noText],
  ['username', noText],
  ['email', noText],
  ['phone', 'null'],
  ['job_title', 'null'],
  ['is_contact', 'false'],
  ['security_role_id', noId],
  ['is_active', 'true'],
  ['is_blocked', 'false'],
  ['blocked_at', 'null'],
])

type Shown = {
  readonly task: Entity
  readonly user: Entity
  readonly isHidden: (column: Column) => boolean
  readonly access: Access
}

/** JSON text of the task under alias `t`, with its user under `u` and `known` (see `userJoin`). */
export const taskJson = ({ task, user, isHidden, access }: Shown): string => {
  const columns = task.columns.filter((column) => !isHidden(column))
  const updatedBy = jsonObject(
    [...userRecord].flatMap(([name, hidden]) => {
      const column = user.columnsByName.get(name)
      return column ? [{ name, text: knownText(access, user, column, `'${hidden}'`) }] : []
    }),
  )
  return jsonObject([
    ...columns.map((column) => ({ name: column.name, text: jsonValue({ alias: 't', column }) })),
    { name: '_version', text: 't."_version"' },
    { name: 'updated_by', text: `CASE WHEN u."id" IS NULL THEN 'null' ELSE ${updatedBy} END` },
    { name: 'related_entities', text: relatedEntities },
  ])
}

const knownText = (access: Access, user: Entity, column: Column, hidden: string): string => {
  if (access.hides(user, column)) return hidden
  const text = jsonValue({ alias: 'u', column })
  if (readableOfOthers(access, user, column) === 'all') return text
  // Which of several roles reads the user is not asked here.
  const scope = access.readScope(user)
  if (shownIn(scope, column) !== scope) return hidden
  return `CASE WHEN known.record THEN ${text} ELSE ${hidden} END`
}

// Keys of entities need no escaping.
const relatedEntities = `(
  SELECT '['||coalesce(
    string_agg('{"key":"'||l.key||'","entity_id":'||l.entity_id||'}', ',' ORDER BY l.key, l.entity_id), ''
  )||']'
  FROM docket.task_link l
  WHERE l.task_id = t.id
)`

/** SQL: the number of links of the task under alias `t`. */
export const linkCount = '(SELECT count(*) FROM docket.task_link l WHERE l.task_id = t.id)'

/** The join that `taskJson` reads the user from; `known.record`: the caller may read all of that user. */
export const userJoin = (access: Access, user: Entity, callerId: number): Sql =>
  sql`
    LEFT JOIN ${table('user')} u ON u.id = t._updated_by
    CROSS JOIN LATERAL (
      SELECT ${compileScope(access.readScope(user), user.hasOwner, 'u')}
        OR u.id = ${int(callerId)} AS record
    ) known`

/** Earliest due date first, then id; tasks without a due date come last. */
export const taskOrder: Sql = sql`t.due_date, t.id`

const related = {
  type: 'array',
  maxItems: maxRelatedEntities,
  items: objectOf(
    {
      key: { type: 'string', description: 'Key of the entity.' },
      entity_id: { type: 'integer', minimum: 1 },
    },
    { additionalProperties: false },
  ),
} as const

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
