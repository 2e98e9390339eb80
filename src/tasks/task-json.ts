/** Prints tasks as JSON in SQL, as docs/tasks.md describes them. */

import { int, type Sql, sql, table } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { Access } from '../query/access.ts'
import { compileScope } from '../query/compile-select.ts'
import { jsonObject, jsonValue } from '../query/record-json.ts'
import { readableOfOthers } from '../query/user-visibility.ts'

// JSON that has the type of a value and tells nothing, in place of one that the caller may not read.
const noText = '""'
const noId = '0'
const noTime = '"1970-01-01T00:00:00.000Z"'

/**
 * The user record: these keys alone, whatever fields a project has added to users, each with what stands for
 * a value that the caller may not read.
 */
export const userRecord: ReadonlyMap<string, string> = new Map([
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
