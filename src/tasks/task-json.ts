/** Prints tasks as JSON in SQL, as docs/tasks.md describes them. */

import { int, type Sql, sql, table } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { Access } from '../query/access.ts'
import { compileScope } from '../query/compile-select.ts'
import { jsonObject, jsonValue } from '../query/record-json.ts'
import { readableOfOthers } from '../query/user-visibility.ts'

// Only these, whatever fields a project has added to users.
export const userRecord = [
  'id',
  '_is_deleted',
  '_created_by',
  '_updated_by',
  '_created_at',
  '_updated_at',
  'identity_provider_user_id',
  'first_name',
  'last_name',
  'full_name',
  'username',
  'email',
  'phone',
  'job_title',
  'is_contact',
  'security_role_id',
  'is_active',
  'is_blocked',
  'blocked_at',
]

type Shown = {
  readonly task: Entity
  readonly user: Entity
  readonly isHidden: (column: Column) => boolean
  readonly access: Access
}

/** JSON text of the task under alias `t`, with its user under `u` and `known` (see `userJoin`). */
export const taskJson = ({ task, user, isHidden, access }: Shown): string => {
  const columns = task.columns.filter((column) => !isHidden(column))
  const users = userRecord.flatMap((name) => user.columnsByName.get(name) ?? [])
  // Every key is present; its value is null if the caller may not read it.
  const updatedBy = jsonObject(
    users.map((column) => ({ name: column.name, text: knownText(access, user, column) })),
  )
  return jsonObject([
    ...columns.map((column) => ({ name: column.name, text: jsonValue({ alias: 't', column }) })),
    { name: '_version', text: 't."_version"' },
    { name: 'updated_by', text: `CASE WHEN u."id" IS NULL THEN 'null' ELSE ${updatedBy} END` },
    { name: 'related_entities', text: relatedEntities },
  ])
}

const knownText = (access: Access, user: Entity, column: Column): string => {
  if (access.hides(user, column)) return `'null'`
  const text = jsonValue({ alias: 'u', column })
  if (readableOfOthers(access, user, column) === 'all') return text
  return `CASE WHEN known.record THEN ${text} ELSE 'null' END`
}

// Keys of entities need no escaping.
const relatedEntities = `(
  SELECT '['||coalesce(
    string_agg('{"key":"'||l.key||'","entity_id":'||l.entity_id||'}', ',' ORDER BY l.key, l.entity_id), ''
  )||']'
  FROM docket.task_link l
  WHERE l.task_id = t.id
)`

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
