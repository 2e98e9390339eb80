/** What explains a rule's effect on users: the groups that name them, and why they get no e-mail. */
import { type Queryable, queryRows } from '../../database/pool.ts'
import { bound, sql, table, text } from '../../database/sql.ts'

/** Codes of groups by their members, of these groups and users. */
export const findMemberships = async (
  database: Queryable,
  groupIds: readonly number[],
  userIds: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> => {
  if (groupIds.length === 0) return new Map()
  const rows = await queryRows<{ user_id: number; code: string }>(
    database,
    sql`
SELECT DISTINCT m.user_id, g.code
FROM ${table('user_group_member')} m
JOIN ${table('user_group')} g ON g.id = m.user_group_id
WHERE g.id = ANY (${bound(groupIds, 'integer[]')})
  AND m.user_id = ANY (${bound(userIds, 'integer[]')}) AND NOT m._is_deleted
ORDER BY 1, 2`,
  )
  const byUser = Map.groupBy(rows, ({ user_id: id }) => id)
  return new Map([...byUser].map(([id, found]) => [id, found.map(({ code }) => code)]))
}

/** Why a user who is notified gets no e-mail. */
export type NoEmail = 'has no e-mail address' | 'has turned such e-mails off'

/** The users who get no e-mail about an operation on records of an entity. */
export const findWithoutEmail = async (
  database: Queryable,
  { entity, operation }: { readonly entity: string; readonly operation: string },
  userIds: readonly number[],
): Promise<ReadonlyMap<number, NoEmail>> => {
  const rows = await queryRows<{ id: number; reason: NoEmail }>(
    database,
    sql`
SELECT u.id, CASE WHEN coalesce(u.email, '') = '' THEN 'has no e-mail address'
  ELSE 'has turned such e-mails off' END AS reason
FROM ${table('user')} u
LEFT JOIN docket.delivery_preference p ON p.user_id = u.id AND p.channel = 'email'
  AND p.entity_key = ${text(entity)} AND p.operation = ${text(operation)}
WHERE u.id = ANY (${bound(userIds, 'integer[]')})
  AND (coalesce(u.email, '') = '' OR p.user_id IS NOT NULL)`,
  )
  return new Map(rows.map(({ id, reason }) => [id, reason]))
}
