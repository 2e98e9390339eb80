/** Finds the entity whose tasks are requested, if the caller may know that it exists. */

import type { Caller } from '../../auth/caller.ts'
import { queryRows } from '../../database/pool.ts'
import { int, notDeleted, type Sql, sql, table, text } from '../../database/sql.ts'
import type { Entity } from '../../definitions/catalog.ts'
import { isUnderRecord, type TaskDeps } from '../task-deps.ts'

/**
 * The entity with a key, or an error 404. Assignees reach their tasks even if their role has no permission on the
 * entity of the record: at that record they may know that the entity exists. The database is asked in the same
 * way whether the entity exists or not, so that the response time does not reveal it.
 */
export const knownEntity = async (
  deps: TaskDeps,
  caller: Caller,
  key: string,
  record?: string,
): Promise<Entity> => {
  const { catalog, permissions } = deps
  const entity = catalog.entities.get(key)
  if (entity && (entity.isNative || permissions.touches(caller, entity))) return entity
  const isAssigned = await hasTask(deps, caller, key, record)
  return entity && isAssigned ? entity : permissions.entityFor(caller, key)
}

// Keys and ids that cannot exist are not looked up.
const hasTask = async (
  { pool }: TaskDeps,
  { userId }: Caller,
  key: string,
  record: string | undefined,
): Promise<boolean> => {
  const id = record === undefined ? undefined : Number(record)
  if (key.includes('\0') || (id !== undefined && !isId(id))) return false
  const place: Sql =
    id === undefined ? sql`t.key = ${text(key)}` : isUnderRecord({ entity: { key } }, id)
  const select = sql`
    SELECT FROM ${table('task')} t
    WHERE t.assigne_id = ${int(userId)} AND ${notDeleted('t')} AND ${place}
    LIMIT 1`
  return (await queryRows(pool, select)).length > 0
}

const isId = (id: number): boolean => Number.isInteger(id) && id >= 1 && id <= 2_147_483_647
