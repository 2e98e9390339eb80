/** Checks assignees: only active users may be assigned. */

import { type Queryable, queryRow } from '../../database/pool.ts'
import { int, type Sql, sql, table } from '../../database/sql.ts'
import type { FieldIssue } from '../../records/write/check-values.ts'
import { activeUser } from '../../users/user-store.ts'

/** Whether the user with an id is active. */
export const isActiveUser = (id: number): Sql =>
  sql`EXISTS (
    SELECT FROM ${table('user')} a
    WHERE a.id = ${int(id)} AND ${activeUser('a')}
  )`

/** The issue of an assignee who is not an active user. */
export const findAssigneeIssue = async (
  database: Queryable,
  id: number | undefined,
): Promise<FieldIssue[]> => {
  if (id === undefined) return []
  const row = await queryRow<{ active: boolean }>(
    database,
    sql`SELECT ${isActiveUser(id)} AS active`,
  )
  const message = `there is no active user ${id}`
  return row?.active ? [] : [{ path: 'assigne_id', message, rule: 'refused' }]
}
