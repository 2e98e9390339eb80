/** The history of tasks: each change is told in the history of the record that the task belongs to. */

import { int, json, type Sql, sql, text } from '../../database/sql.ts'
import type { Changes } from '../../records/history.ts'

type Entry = {
  readonly operation: 'createTask' | 'removeTask' | 'restoreTask'
  readonly changes: Changes
  readonly userId: number
}

/** `INSERT` of one entry for each task of a row source with id, key and entity_id. */
export const insertTaskHistory = ({ operation, changes, userId }: Entry, tasks: Sql): Sql =>
  sql`
    INSERT INTO docket.history (entity_key, entity_id, task_id, operation, changes, user_id)
    SELECT h.key, h.entity_id, h.id, ${text(operation)}, ${json(changes)}, ${int(userId)}
    FROM ${tasks} h`
