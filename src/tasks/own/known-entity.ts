/** The entity whose tasks are asked for, where the caller may know of it. */

import type { Caller } from '../../auth/caller.ts'
import { queryRows } from '../../database/pool.ts'
import { int, notDeleted, type Sql, sql, table, text } from '../../database/sql.ts'
import type { Entity } from '../../definitions/catalog.ts'
import type { TaskDeps } from '../task-deps.ts'
import { isUnderRecord } from '../write/task-links.ts'

/**
 * The entity of a key, or the error 404 of one that is not there. An assignee reaches their task also
 * where the role has no right on its record's entity: such an entity is known to them at their record,
 * and nothing else of the request is judged before. Whether there is one or not, the same is asked, so
 * that the time of the answer tells nothing either.
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

// What no key and no id can be is not asked for.
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
