/** The links of a task to further records; a change replaces all of them. */

import { type Connection, execute, queryRows } from '../../database/pool.ts'
import { int, type Sql, sql, table, text } from '../../database/sql.ts'
import type { Changes } from '../../records/history.ts'
import type { TaskContext } from '../task-deps.ts'
import { relatedRows } from './related-records.ts'
import type { RelatedRecord } from './task-body.ts'

/** Locks the record of the path and then the task, so that nobody else changes its links. */
export const lockTask = async (
  connection: Connection,
  context: TaskContext,
  { id, taskId }: { readonly id: number; readonly taskId: number },
): Promise<void> => {
  const record = sql`SELECT FROM ${table(context.entity)} r WHERE r.id = ${int(id)} FOR SHARE`
  await execute(connection, record)
  const task = sql`SELECT FROM ${table('task')} t WHERE t.id = ${int(taskId)} FOR NO KEY UPDATE`
  await execute(connection, task)
}

type Link = { readonly key: string; readonly entity_id: number }

/** Replaces the links by those of the body. Returns the change if they differ. */
export const replaceLinks = async (
  connection: Connection,
  taskId: number,
  related: readonly RelatedRecord[],
): Promise<Changes | undefined> => {
  const id = int(taskId)
  const select = sql`
    SELECT l.key, l.entity_id
    FROM docket.task_link l
    WHERE l.task_id = ${id}
    ORDER BY l.key, l.entity_id`
  const before = await queryRows<Link>(connection, select)
  const remove = sql`
    DELETE FROM docket.task_link k
    WHERE k.task_id = ${id}
      AND NOT EXISTS (
        SELECT FROM ${relatedRows(related)} WHERE l.key = k.key AND l.entity_id = k.entity_id
      )`
  await execute(connection, remove)
  const add = sql`
    INSERT INTO docket.task_link (task_id, key, entity_id)
    SELECT ${id}, l.key, l.entity_id
    FROM ${relatedRows(related)}
    ON CONFLICT DO NOTHING`
  await execute(connection, add)
  const after = await queryRows<Link>(connection, select)
  const isSame = JSON.stringify(before) === JSON.stringify(after)
  return isSame ? undefined : { related_entities: { before, after } }
}
