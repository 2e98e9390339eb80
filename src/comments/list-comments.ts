/** Lists the comments on a record that the caller may see; removed ones keep their place. */
import { type Queryable, queryRow } from '../database/pool.ts'
import { bigint, int, nothing, raw, sql, table } from '../database/sql.ts'
import type { Page } from '../query/select-plan.ts'
import { unknownRecord } from '../records/read-records.ts'
import {
  type CommentContext,
  isOfRecord,
  reachOf,
  recordAt,
  unknownComment,
} from './comment-deps.ts'
import { type CommentOnRecord, readComments } from './comment-json.ts'

/** What a caller may do with the comments of a record, or an error 404. */
export const findReach = async (
  database: Queryable,
  context: Omit<CommentContext, 'settings'>,
  id: number,
): Promise<{ readonly mayWrite: boolean; readonly seesInternal: boolean }> => {
  const { isReadable, mayWrite, seesInternal } = reachOf(context)
  const found = await queryRow<{ mayWrite: boolean; seesInternal: boolean }>(
    database,
    sql`
    SELECT ${mayWrite} AS "mayWrite", ${seesInternal} AS "seesInternal"
    FROM ${recordAt(context, id)} AND ${isReadable}`,
  )
  if (!found) throw unknownRecord(context.entity, id)
  return found
}

const visible = (seesInternal: boolean) => (seesInternal ? sql`true` : sql`NOT t.is_internal`)

type CommentPage = Page & { readonly newest: boolean }

/** One page of comments, from the oldest or from the newest. */
export const listComments = async (
  database: Queryable,
  context: CommentContext,
  id: number,
  { newest, ...page }: CommentPage,
): Promise<readonly CommentOnRecord[]> => {
  const { seesInternal } = await findReach(database, context, id)
  const comments = await readComments(
    database,
    context,
    sql`
    SELECT t.*
    FROM ${table('comment')} t
    WHERE ${isOfRecord(context, id)} AND ${visible(seesInternal)}
    ORDER BY t.id${newest ? raw(' DESC') : nothing}
    LIMIT ${bigint(page.limit)} OFFSET ${bigint(page.offset)}`,
  )
  return newest ? comments.toReversed() : comments
}

/** One comment that the caller has written, as it is now. */
export const readComment = async (
  database: Queryable,
  context: CommentContext,
  id: number,
  commentId: number,
): Promise<CommentOnRecord> => {
  const chosen = sql`
    SELECT t.* FROM ${table('comment')} t WHERE t.id = ${int(commentId)} AND ${isOfRecord(context, id)}`
  const [found] = await readComments(database, context, chosen)
  if (!found) throw unknownComment(context, id, commentId)
  return found
}
