/** Who may be assigned: people who can work with it, and those who may not yet be told why. */

import { type Queryable, queryRow } from '../../database/pool.ts'
import { int, type Sql, sql, table } from '../../database/sql.ts'
import type { FieldIssue } from '../../records/write/check-values.ts'
import { activeUser } from '../../users/user-store.ts'

/** Whether the user of an id is active: not removed, not blocked. */
export const isActiveUser = (id: number): Sql =>
  sql`EXISTS (
    SELECT FROM ${table('user')} a
    WHERE a.id = ${int(id)} AND ${activeUser('a')}
  )`

/** The issue of an assignee who cannot be one, or none. */
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
