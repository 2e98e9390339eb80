/**
 * Removes the tasks of removed records and the links of other tasks to them. Both are remembered, and restored
 * with the records.
 */
import type { RecordAuthor } from '../auth/caller.ts'
import { execute, type Queryable } from '../database/pool.ts'
import { ints, notDeleted, sql, table, text } from '../database/sql.ts'
import { insertHistory } from '../records/history.ts'
import { auditUpdate } from '../records/write/write-statements.ts'
import { insertDueNotifications, notifyAllDue } from './task-messages.ts'

type RecordsOf = {
  readonly entityKey: string
  readonly ids: readonly number[]
  readonly author: RecordAuthor
}

/** Runs in the transaction that removes the records, which are locked. */
export const removeTasksOf = async (
  connection: Queryable,
  { entityKey, ids, author }: RecordsOf,
): Promise<void> => {
  const [key, records] = [text(entityKey), ints(ids)]
  const changes = { _is_deleted: { before: false, after: true } }
  const entry = { entity: { key: 'task' }, operation: 'removeTask', changes, author }
  const statement = sql`
    WITH removed AS (
      UPDATE ${table('task')} t
      SET _is_deleted = true, ${auditUpdate(author.userId, 't')}
      WHERE key = ${key} AND entity_id = ANY (${records}) AND ${notDeleted('t')}
      RETURNING id, key, entity_id
    ),
    history AS (${insertHistory(entry, sql`removed c`)}),
    unlinked AS (
      DELETE FROM docket.task_link
      WHERE key = ${key} AND entity_id = ANY (${records})
      RETURNING task_id, entity_id
    )
    INSERT INTO docket.removed_with_record (entity_key, entity_id, task_id, is_link)
    SELECT ${key}, entity_id, id, false FROM removed
    UNION ALL
    SELECT ${key}, entity_id, task_id, true FROM unlinked`
  await execute(connection, statement)
}

/** Runs in the transaction that restores the records, which are locked. */
export const restoreTasksOf = async (
  connection: Queryable,
  { entityKey, ids, author }: RecordsOf,
): Promise<void> => {
  const [key, records] = [text(entityKey), ints(ids)]
  const changes = { _is_deleted: { before: true, after: false } }
  const entry = { entity: { key: 'task' }, operation: 'restoreTask', changes, author }
  const statement = sql`
    WITH gone AS (
      DELETE FROM docket.removed_with_record
      WHERE entity_key = ${key} AND entity_id = ANY (${records})
      RETURNING entity_id, task_id, is_link
    ),
    restored AS (
      UPDATE ${table('task')} t
      SET _is_deleted = false, ${auditUpdate(author.userId, 't')}
      FROM gone g
      WHERE NOT g.is_link AND t.id = g.task_id AND t._is_deleted
      RETURNING t.*
    ),
    history AS (${insertHistory(entry, sql`restored c`)}),
    linked AS (
      INSERT INTO docket.task_link (task_id, key, entity_id)
      SELECT task_id, ${key}, entity_id FROM gone WHERE is_link
      ON CONFLICT DO NOTHING
    ),
    due AS (${insertDueNotifications(sql`restored`)})
    SELECT ${notifyAllDue()}`
  await execute(connection, statement)
}
