/**
 * A client may send back the task that it read. Fields that the service maintains are accepted if they are
 * equal to those of the task, and change nothing.
 */

import { type Queryable, queryRow } from '../../database/pool.ts'
import { int, isoTime, notDeleted, sql, table } from '../../database/sql.ts'
import type { FieldIssue } from '../../records/write/check-values.ts'
import { fixedFields, type TaskBody } from './task-body.ts'

/**
 * The body without such fields, with an issue for each that differs from the task. `_updated_by`,
 * `_updated_at` and `_version` are not compared: every change sets them, and If-Match finds a stale task.
 */
export const withoutMaintained = async (
  database: Queryable,
  { taskId }: { readonly taskId: number },
  body: TaskBody,
): Promise<TaskBody> => {
  if (Object.keys(body.kept).length === 0) return body
  const stored = await readFixed(database, taskId)
  // The change itself reports a task that does not exist.
  if (!stored) return body
  const issues = fixedFields
    .filter((name) => name in body.kept && body.kept[name] !== stored[name])
    .map(issueAt)
  const links = (body.related ?? []).map(({ key, id }) => `${key} ${id}`).sort()
  const isSame = links.join() === stored.links.sort().join()
  return {
    ...body,
    related: isSame ? undefined : body.related,
    issues: [...body.issues, ...issues],
  }
}

const issueAt = (path: string): FieldIssue => ({
  path,
  message: 'is set by the service and cannot be changed; leave it out, or send it as it was read',
  rule: 'malformed',
})

type Fixed = Readonly<Record<string, unknown>> & { readonly links: string[] }

const readFixed = async (database: Queryable, taskId: number): Promise<Fixed | undefined> => {
  const select = sql`SELECT t.id, t.key, t.entity_id, t._is_deleted, t._created_by,
      ${isoTime('t._created_at')} AS _created_at,
      (SELECT coalesce(json_agg(l.key || ' ' || l.entity_id), '[]')::text
        FROM docket.task_link l WHERE l.task_id = t.id) AS links
    FROM ${table('task')} t WHERE t.id = ${int(taskId)} AND ${notDeleted('t')}`
  const row = await queryRow<Record<string, unknown> & { links: string }>(database, select)
  return row && { ...row, links: JSON.parse(row.links) as string[] }
}
