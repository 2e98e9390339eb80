/** Prints tasks as JSON inside PostgreSQL, as the interface specifies them ("Task record"). */

import { raw, type Sql, sql, tableName } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import { jsonObject, jsonValue } from '../query/record-json.ts'

// Interface, "User record": the whole of it, and nothing that a project added for itself.
const userRecord = [
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
  /** Columns of users that the caller's role hides. */
  readonly isUserHidden: (column: Column) => boolean
}

/** JSON text of the task under alias `t`, with its user under `u` (see `userJoin`). */
export const taskJson = ({ task, user, isHidden, isUserHidden }: Shown): string => {
  const columns = task.columns.filter((column) => !isHidden(column))
  const users = userRecord.flatMap((name) => user.columnsByName.get(name) ?? [])
  const updatedBy = jsonObject(
    users
      .filter((column) => !isUserHidden(column))
      .map((column) => ({ name: column.name, text: jsonValue({ alias: 'u', column }) })),
  )
  return jsonObject([
    ...columns.map((column) => ({ name: column.name, text: jsonValue({ alias: 't', column }) })),
    { name: 'updated_by', text: `CASE WHEN u."id" IS NULL THEN 'null' ELSE ${updatedBy} END` },
    { name: 'related_entities', text: relatedEntities },
  ])
}

// A key is an entity's: nothing in it wants escaping.
const relatedEntities = `(SELECT '['||coalesce(string_agg('{"key":"'||l.key||'","entity_id":'||l.entity_id||'}', ',' ORDER BY l.key, l.entity_id), '')||']' FROM docket.task_link l WHERE l.task_id = t.id)`

/** The join that `taskJson` reads the user from. */
export const userJoin: Sql = sql` LEFT JOIN ${raw(tableName('user'))} u ON u.id = t._updated_by`

/** Soonest due first, then id; what has no due date comes last. */
export const taskOrder: Sql = sql`t.due_date, t.id`
