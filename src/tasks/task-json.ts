/** Prints tasks as JSON in SQL, and describes them, as docs/tasks.md does. */
import type { Person } from '../auth/caller.ts'
import type { PartRights } from '../auth/permissions.ts'
import { anyOf, int, join, nothing, raw, ref, type Sql, sql, table } from '../database/sql.ts'
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
import type { Access } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
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
  readonly caller: Person
  readonly access: Access
  readonly rights: PartRights
  /** Whether a user reaches the record of the task as one who writes its tasks. */
  readonly reaches: (person: Person) => Sql
}

/** How tasks are printed for a caller: the JSON text of the one under alias `t`, and what it joins to that. */
export type PrintedTask = { readonly json: string; readonly joins: Sql }

/** Assignees see what one of their roles shows, whatever it reaches. */
const isShownBy = (
  { task, caller, access, reaches }: Omit<Shown, 'user'>,
  person: Person,
  column: Column,
): Sql => {
  const ofOwn = access.hides(task, column) ? [] : [sql`t.assigne_id = ${int(caller.userId)}`]
  return anyOf([...ofOwn, reaches(person)])
}

/** A value of a task as far as the caller sees it, by which tasks are in order and counted. */
const seenValue = (shown: Omit<Shown, 'user'>, name: string, unseen: Sql): Sql => {
  const { task, rights } = shown
  const column = task.columnsByName.get(name)
  if (!column || rights.isHidden(column)) return unseen
  const person = rights.showing(column)
  const value = ref(name, 't')
  return person
    ? sql`CASE WHEN ${isShownBy(shown, person, column)} THEN ${value} ELSE ${unseen} END`
    : value
}

/** What decides where a task is listed: one whose due date is hidden has none, and one is open whose completion is. */
export type SeenTask = { readonly due: Sql; readonly isCompleted: Sql }

export const seenTask = (shown: Omit<Shown, 'user'>): SeenTask => ({
  due: seenValue(shown, 'due_date', sql`NULL::timestamptz`),
  isCompleted: seenValue(shown, 'is_completed', sql`false`),
})

/** Prints of a task, of its assignee by name, and of the user who changed it last, what the caller may see of each. */
export const printTask = (shown: Shown): PrintedTask => {
  const { task, user, caller, access, rights } = shown
  const own = sql`= ${int(caller.userId)}`
  const conditions = new Map<unknown, Sql>()
  /** The name of a condition on the row; of a key there is one. */
  const when = (key: unknown, condition: () => Sql): string => {
    if (!conditions.has(key)) conditions.set(key, condition())
    return `known.c${[...conditions.keys()].indexOf(key)}`
  }
  const shownWhere = (column: Column): string | undefined => {
    const person = rights.showing(column)
    if (!person) return undefined
    const key = `${person.roleKey} ${access.hides(task, column)}`
    return when(key, () => isShownBy(shown, person, column))
  }
  const people = access.readScope(user)
  const reader: Access = { ...access, readScope: () => people }
  const knownText = (column: Column, hidden: string): string => {
    if (access.hides(user, column)) return hidden
    const text = jsonValue({ alias: 'u', column })
    const scope = readableOfOthers(reader, user, column)
    if (scope === 'all') return text
    const inScope = () => sql`${compileScope(scope, user.hasOwner, 'u')} OR u.id ${own}`
    return `CASE WHEN ${when(scope, inScope)} THEN ${text} ELSE ${hidden} END`
  }
  const updatedBy = jsonObject(
    [...userRecord].flatMap(([name, hidden]) => {
      const column = user.columnsByName.get(name)
      return column ? [{ name, text: knownText(column, `'${hidden}'`) }] : []
    }),
  )
  const columns = task.columns.filter((column) => !rights.isHidden(column))
  const cells = columns.map((column) => ({
    name: column.name,
    text: jsonValue({ alias: 't', column }),
    where: shownWhere(column),
  }))
  const json = jsonObject([
    ...cells.filter(({ where }) => where === undefined),
    { name: '_version', text: 't."_version"' },
    { name: 'updated_by', text: `CASE WHEN u."id" IS NULL THEN 'null' ELSE ${updatedBy} END` },
    { name: 'related_entities', text: relatedEntities },
    ...assigneeOf(shown, cells),
    ...cells.filter(({ where }) => where !== undefined),
  ])
  const named = [...conditions.values()].map((one, at) => sql`${one} AS ${raw(`c${at}`)}`)
  const known = sql` CROSS JOIN LATERAL (SELECT ${join(named, ', ')}) known`
  return {
    json,
    joins: sql`
    LEFT JOIN ${table('user')} u ON u.id = t._updated_by
    LEFT JOIN ${table('user')} assigned ON assigned.id = t.assigne_id${named.length > 0 ? known : nothing}`,
  }
}

type Cell = { readonly name: string; readonly text: string; readonly where: string | undefined }

/** Id and name of the assignee, where the id is printed. */
const assigneeOf = ({ user, access }: Shown, cells: readonly Cell[]): readonly Cell[] => {
  const [id, name] = ['id', 'full_name'].map((key) => user.columnsByName.get(key))
  if (!id || !name) return []
  const isNameHidden = access.hides(user, name)
  const person = jsonObject([
    { name: 'id', text: jsonValue({ alias: 'assigned', column: id }) },
    {
      name: 'full_name',
      text: isNameHidden ? `'null'` : jsonValue({ alias: 'assigned', column: name }),
    },
  ])
  const text = `CASE WHEN assigned."id" IS NULL THEN 'null' ELSE ${person} END`
  return cells
    .filter((cell) => cell.name === 'assigne_id')
    .map(({ where }) => ({ name: 'assigne', text, where }))
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

/** Earliest due date first, then id; tasks without a due date, or with one that is hidden, come last. */
export const taskOrder = ({ due }: Pick<SeenTask, 'due'>): Sql => sql`${due}, t.id`

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
    {
      properties: {
        assigne: {
          description: 'The assignee by name; null without one.',
          anyOf: [schemaRef('Person'), { type: 'null' }],
        },
      },
    },
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

// Null, 0 and the empty text may stand for a value, so a format and the minimum of ids do not hold.
const userFieldSchema = (column: Column, hidden: string): JsonSchema => {
  const { format, ...schema } = answeredSchema({
    ...column,
    field: { ...column.field, required: hidden !== 'null' },
  } as Column)
  if (hidden === noId) return { ...schema, minimum: 0 }
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
