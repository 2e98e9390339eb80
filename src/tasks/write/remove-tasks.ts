/**
 * What becomes of tasks when a record is removed: its own go with it, and links of others fall away.
 * What went is noted, so that it comes back when the record is restored.
 */

import { execute, type Queryable } from '../../database/pool.ts'
import { int, raw, type Sql, sql, table, text } from '../../database/sql.ts'
import { insertTaskHistory } from './task-history.ts'
import { insertDueNotices, tellDue } from './task-messages.ts'

type RecordOf = { readonly entityKey: string; readonly id: number; readonly userId: number }

/** Runs in the transaction that removes the record, which is locked. */
export const removeTasksOf = async (
  connection: Queryable,
  { entityKey, id, userId }: RecordOf,
): Promise<void> => {
  const [key, record] = [text(entityKey), int(id)]
  const changes = { _is_deleted: { before: false, after: true } }
  const told = insertTaskHistory({ operation: 'removeTask', changes, userId }, raw('removed'))
  const statement = sql`WITH removed AS (
      UPDATE ${table('task')} SET _is_deleted = true, ${auditColumns(userId)}
      WHERE key = ${key} AND entity_id = ${record} AND NOT _is_deleted RETURNING id, key, entity_id),
    told AS (${told}),
    unlinked AS (DELETE FROM docket.task_link WHERE key = ${key} AND entity_id = ${record} RETURNING task_id)
    INSERT INTO docket.removed_with_record (entity_key, entity_id, task_id, is_link)
    SELECT ${key}, ${record}, id, false FROM removed
    UNION ALL SELECT ${key}, ${record}, task_id, true FROM unlinked`
  await execute(connection, statement)
}

/** Runs in the transaction that restores the record, which is locked. */
export const restoreTasksOf = async (
  connection: Queryable,
  { entityKey, id, userId }: RecordOf,
): Promise<void> => {
  const [key, record] = [text(entityKey), int(id)]
  const changes = { _is_deleted: { before: true, after: false } }
  const told = insertTaskHistory({ operation: 'restoreTask', changes, userId }, raw('restored'))
  const statement = sql`WITH gone AS (
      DELETE FROM docket.removed_with_record WHERE entity_key = ${key} AND entity_id = ${record}
      RETURNING task_id, is_link),
    restored AS (
      UPDATE ${table('task')} t SET _is_deleted = false, ${auditColumns(userId)}
      FROM gone g WHERE NOT g.is_link AND t.id = g.task_id AND t._is_deleted RETURNING t.*),
    told AS (${told}),
    linked AS (
      INSERT INTO docket.task_link (task_id, key, entity_id)
      SELECT task_id, ${key}, ${record} FROM gone WHERE is_link ON CONFLICT DO NOTHING),
    due AS (${insertDueNotices(raw('restored'))})
    SELECT count(${tellDue('d')}) FROM due d`
  await execute(connection, statement)
}

const auditColumns = (userId: number): Sql =>
  sql`_updated_by = ${int(userId)}, _updated_at = greatest(now(), _updated_at), _version = _version + 1`
