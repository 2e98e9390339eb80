/** What becomes of tasks when a record is removed: its own go with it, links of others fall away. */

import type { Queryable } from '../database/pool.ts'
import { bound, raw, sql, tableName, toStatement } from '../database/sql.ts'
import { insertTaskHistory } from './task-history.ts'

type Removed = { readonly entityKey: string; readonly id: number; readonly userId: number }

/** Runs in the transaction that removes the record, which is locked. */
export const removeTasksOf = async (
  connection: Queryable,
  { entityKey, id, userId }: Removed,
): Promise<void> => {
  const [key, record] = [bound(entityKey, 'text'), bound(id, 'integer')]
  const changes = { _is_deleted: { before: false, after: true } }
  const told = insertTaskHistory({ operation: 'removeTask', changes, userId }, raw('removed'))
  const statement = sql`WITH removed AS (UPDATE ${raw(tableName('task'))} SET _is_deleted = true, _updated_by = ${bound(userId, 'integer')}, _updated_at = greatest(now(), _updated_at), _version = _version + 1 WHERE key = ${key} AND entity_id = ${record} AND NOT _is_deleted RETURNING id, key, entity_id), told AS (${told}) DELETE FROM docket.task_link WHERE key = ${key} AND entity_id = ${record}`
  await connection.query(toStatement(statement))
}
