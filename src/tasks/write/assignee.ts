/** Who may be assigned: people who can work with it, and those who may not yet be told why. */

import { type Queryable, queryRows } from '../../database/pool.ts'
import { bound, raw, type Sql, sql, tableName, toStatement } from '../../database/sql.ts'
import type { FieldIssue } from '../../records/write/check-values.ts'

/** Whether the user of an id is active: not removed, not blocked. */
export const isActiveUser = (id: number): Sql =>
  sql`EXISTS (SELECT FROM ${raw(tableName('user'))} a WHERE a.id = ${bound(id, 'integer')} AND a.is_active AND NOT a.is_blocked AND NOT a._is_deleted)`

/** The issue of an assignee who cannot be one, or none. */
export const findAssigneeIssue = async (
  database: Queryable,
  id: number | undefined,
): Promise<FieldIssue[]> => {
  if (id === undefined) return []
  const [row] = await queryRows<{ active: boolean }>(
    database,
    toStatement(sql`SELECT ${isActiveUser(id)} AS active`),
  )
  const message = `there is no active user ${id}`
  return row?.active ? [] : [{ path: 'assigne_id', message, rule: 'refused' }]
}
