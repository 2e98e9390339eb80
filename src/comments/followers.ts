/**
 * Who follows a record. Stored is what people do in its comments and what they choose themselves; whom its fields name and who has
 * done something to it is asked when it is needed. One who has left follows by no rule any more.
 */
import { type Pool, queryRows } from '../database/pool.ts'
import { int, ints, nothing, type Sql, sql, text, texts } from '../database/sql.ts'
import { unknownRecord } from '../records/read-records.ts'
import { type CommentContext, reachOf, recordAt } from './comment-deps.ts'
import { largestId } from './mentions.ts'

type Following = {
  /** The record. */
  readonly id: number
  readonly mentioned: readonly number[]
  /** Whether the caller has commented. */
  readonly isNew: boolean
  /** A row source without rows if nothing was written. */
  readonly after?: Sql
}

/** Inserts who follows by a comment; undefined if nobody does. Those who follow, or have left, stay as they are. */
export const follow = (
  { settings: { byDoing }, caller, entity }: CommentContext,
  { id, mentioned, isNew, after }: Following,
): Sql | undefined => {
  const reasons = new Map<number, string>()
  // Of a text that is refused, ids may be none.
  const known = mentioned.filter((one) => one <= largestId)
  if (byDoing.has('$mentioned')) for (const one of known) reasons.set(one, 'mentioned')
  if (isNew && byDoing.has('$commented')) reasons.set(caller.userId, 'commented')
  if (reasons.size === 0) return undefined
  return sql`
    INSERT INTO docket.follower (entity_key, entity_id, user_id, reason)
    SELECT ${text(entity.key)}, ${int(id)}, f.user_id, f.reason
    FROM unnest(${ints([...reasons.keys()])}, ${texts([...reasons.values()])}) AS f (user_id, reason)
    ${after ? sql`CROSS JOIN ${after} w` : nothing}
    ORDER BY f.user_id
    ON CONFLICT DO NOTHING`
}

/** Follows a record, or leaves it, by the caller's own choice. */
export const setFollowing = async (
  pool: Pool,
  context: CommentContext,
  id: number,
  isFollowing: boolean,
): Promise<void> => {
  const { caller, entity } = context
  const rows = await queryRows(
    pool,
    sql`
    INSERT INTO docket.follower AS f (entity_key, entity_id, user_id, reason, left_at)
    SELECT ${text(entity.key)}, r.id, ${int(caller.userId)}, 'chosen',
      ${isFollowing ? sql`NULL::timestamptz` : sql`now()`}
    FROM ${recordAt(context, id)} AND ${reachOf(context).isReadable}
    ON CONFLICT (entity_key, entity_id, user_id) DO UPDATE SET
      reason = CASE WHEN f.left_at IS NULL THEN f.reason ELSE excluded.reason END,
      at = CASE WHEN f.left_at IS NULL THEN f.at ELSE excluded.at END,
      left_at = coalesce(CASE WHEN excluded.left_at IS NOT NULL THEN f.left_at END, excluded.left_at)
    RETURNING 1 AS found`,
  )
  if (rows.length === 0) throw unknownRecord(entity, id)
}
