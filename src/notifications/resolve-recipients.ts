/** Who is told: users by fields and groups, each once, and of each who is not, why. */

import type { Readers } from '../auth/permissions.ts'
import { type Queryable, queryRows } from '../database/pool.ts'
import { bound, join, raw, type Sql, sql, tableName, toStatement } from '../database/sql.ts'
import type { NotificationEntry } from '../definitions/notification-matching.ts'

export type RecipientWish = {
  readonly recipient: NotificationEntry['recipient']
  /** Users that the fields of the record name. */
  readonly fieldUsers: readonly number[]
  readonly actorId: number
  /** Who created and owns the record: the ones that `own` means. */
  readonly ownUsers: readonly number[]
  readonly readers: Readers
}

/** Why a user who is named is not told. */
export type SkipReason =
  | 'removed'
  | 'inactive'
  | 'blocked'
  | 'actor'
  | 'may not read the record'
  | 'has no e-mail address'

export type Candidate = { readonly id: number; readonly reason: SkipReason | null }

export type Groups = {
  readonly ids: readonly number[]
  /** Codes that no group has. */
  readonly missing: readonly string[]
}

/** The groups that an entry names by their codes. */
export const findGroups = async (
  database: Queryable,
  { userGroups: codes = [] }: NotificationEntry['recipient'],
): Promise<Groups> => {
  if (codes.length === 0) return { ids: [], missing: [] }
  const select = sql`SELECT g.id, g.code FROM ${raw(tableName('user_group'))} g WHERE g.code = ANY (${bound(codes, 'text[]')}) AND NOT g._is_deleted`
  const found = await queryRows<{ id: number; code: string }>(database, toStatement(select))
  const known = new Set(found.map(({ code }) => code))
  return { ids: found.map(({ id }) => id), missing: codes.filter((code) => !known.has(code)) }
}

type Resolving = RecipientWish & {
  readonly groupIds: readonly number[]
  readonly batchSize: number
}

/** Everyone who is named, in the order of their ids, a batch at a time; memory does not grow. */
export async function* resolveRecipients(
  database: Queryable,
  wish: Resolving,
): AsyncGenerator<readonly Candidate[]> {
  let last = 0
  for (;;) {
    const select = candidates(wish, last)
    const batch = await queryRows<Candidate>(database, toStatement(select))
    if (batch.length > 0) yield batch
    if (batch.length < wish.batchSize) return
    last = batch.at(-1)?.id ?? last
  }
}

const candidates = (wish: Resolving, last: number): Sql => {
  const users = raw(tableName('user'))
  const roles = raw(tableName('security_role'))
  return sql`WITH named AS MATERIALIZED (${named(wish, last)}) SELECT n.user_id AS id, CASE ${reasons(wish)} END AS reason FROM named n LEFT JOIN ${users} u ON u.id = n.user_id LEFT JOIN ${roles} r ON r.id = u.security_role_id AND NOT r._is_deleted ORDER BY n.user_id`
}

/**
 * Ids after the last one, as many as a batch holds. Each group is read in the order of its index from
 * there on: a batch costs the same in a group of 100 and of 100,000, whatever users there are.
 */
const named = ({ fieldUsers, groupIds, batchSize }: Resolving, last: number): Sql => {
  const [after, most] = [bound(last, 'integer'), bound(batchSize, 'integer')]
  const ofFields = sql`SELECT DISTINCT f.user_id FROM unnest(${bound(fieldUsers, 'integer[]')}) f(user_id) WHERE f.user_id > ${after}`
  const members = raw(tableName('user_group_member'))
  const ofGroup = sql`SELECT m.user_id FROM ${members} m WHERE m.user_group_id = g.id AND m.user_id > ${after} AND NOT m._is_deleted ORDER BY m.user_id LIMIT ${most}`
  const ofGroups =
    groupIds.length === 0
      ? raw('')
      : sql` UNION SELECT m.user_id FROM unnest(${bound(groupIds, 'integer[]')}) g(id) CROSS JOIN LATERAL (${ofGroup}) m`
  return sql`${ofFields}${ofGroups} ORDER BY 1 LIMIT ${most}`
}

/** The first that holds is told. */
const reasons = ({ recipient, actorId, ownUsers, readers }: RecipientWish): Sql => {
  const own = bound(ownUsers, 'integer[]')
  const mayRead = recipient.skipRightsCheck
    ? raw('true')
    : sql`(r.key = ANY (${bound(readers.all, 'text[]')}) OR (r.key = ANY (${bound(readers.own, 'text[]')}) AND u.id = ANY (${own})))`
  const isActor =
    recipient.includeActor === false ? sql`u.id = ${bound(actorId, 'integer')}` : raw('false')
  const all: readonly (readonly [Sql, SkipReason])[] = [
    [raw('u.id IS NULL OR u._is_deleted'), 'removed'],
    [raw('NOT u.is_active'), 'inactive'],
    [raw('u.is_blocked'), 'blocked'],
    [isActor, 'actor'],
    [sql`(${mayRead}) IS NOT TRUE`, 'may not read the record'],
  ]
  const cases = all.map(
    ([condition, reason]) => sql`WHEN ${condition} THEN ${bound(reason, 'text')}`,
  )
  return join(cases, ' ')
}
