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

/** Everyone who is named, in the order of their ids, a batch at a time; memory does not grow. */
export async function* resolveRecipients(
  database: Queryable,
  wish: RecipientWish,
  batchSize: number,
): AsyncGenerator<readonly Candidate[]> {
  let last = 0
  for (;;) {
    const batch = await queryRows<Candidate>(
      database,
      toStatement(
        sql`${candidates(wish)} AND u.id > ${bound(last, 'integer')} ORDER BY u.id LIMIT ${bound(batchSize, 'bigint')}`,
      ),
    )
    if (batch.length > 0) yield batch
    if (batch.length < batchSize) return
    last = batch.at(-1)?.id ?? last
  }
}

const candidates = (wish: RecipientWish): Sql => {
  const { recipient, fieldUsers, actorId, ownUsers, readers } = wish
  const own = bound(ownUsers, 'integer[]')
  const mayRead = recipient.skipRightsCheck
    ? raw('true')
    : sql`(r.key = ANY (${bound(readers.all, 'text[]')}) OR (r.key = ANY (${bound(readers.own, 'text[]')}) AND u.id = ANY (${own})))`
  const isActor =
    recipient.includeActor === false ? sql`u.id = ${bound(actorId, 'integer')}` : raw('false')
  const reasons: readonly (readonly [Sql, SkipReason])[] = [
    [raw('u._is_deleted'), 'removed'],
    [raw('NOT u.is_active'), 'inactive'],
    [raw('u.is_blocked'), 'blocked'],
    [isActor, 'actor'],
    [sql`NOT ${mayRead}`, 'may not read the record'],
  ]
  const cases = reasons.map(
    ([condition, reason]) => sql`WHEN ${condition} THEN ${bound(reason, 'text')}`,
  )
  const groups = recipient.userGroups ?? []
  const member =
    groups.length === 0
      ? raw('false')
      : sql`u.id IN (SELECT m.user_id FROM ${raw(tableName('user_group_member'))} m JOIN ${raw(tableName('user_group'))} g ON g.id = m.user_group_id WHERE g.code = ANY (${bound(groups, 'text[]')}) AND NOT g._is_deleted AND NOT m._is_deleted)`
  return sql`SELECT u.id, CASE ${join(cases, ' ')} END AS reason FROM ${raw(tableName('user'))} u LEFT JOIN ${raw(tableName('security_role'))} r ON r.id = u.security_role_id AND NOT r._is_deleted WHERE (u.id = ANY (${bound(fieldUsers, 'integer[]')}) OR ${member})`
}
