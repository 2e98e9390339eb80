/** Lists the comments on a record that the caller may see; removed ones keep their place. */
import { type Queryable, queryRow, queryRows } from '../database/pool.ts'
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
import {
  type CommentOnRecord,
  type CommentRow,
  commentColumns,
  joinNamed,
  showComment,
  showComments,
} from './comment-json.ts'

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

type CommentPage = Page & { readonly newest: boolean }

/** What is selected of a record without comments on the page. */
type NoComment = { readonly id: null }

/** One page of comments, from the oldest or from the newest. OFFSET keeps PostgreSQL from asking for rights of each comment. */
export const listComments = async (
  database: Queryable,
  context: CommentContext,
  id: number,
  { newest, ...page }: CommentPage,
): Promise<readonly CommentOnRecord[]> => {
  const { isReadable, seesInternal } = reachOf(context)
  const direction = newest ? raw(' DESC') : nothing
  const rows = await queryRows<CommentRow | NoComment>(
    database,
    sql`
    SELECT ${commentColumns}
    FROM (
      SELECT ${seesInternal} AS "seesInternal" FROM ${recordAt(context, id)} AND ${isReadable} OFFSET 0
    ) reach
    LEFT JOIN LATERAL (
      SELECT t.*
      FROM ${table('comment')} t
      WHERE ${isOfRecord(context, id)} AND (reach."seesInternal" OR NOT t.is_internal)
      ORDER BY t.id${direction}
      LIMIT ${bigint(page.limit)} OFFSET ${bigint(page.offset)}
    ) t ON true${joinNamed(context)}
    ORDER BY t.id${direction}`,
  )
  if (rows.length === 0) throw unknownRecord(context.entity, id)
  return showComments(
    database,
    context,
    rows.filter((row) => row.id !== null),
  )
}

/** One comment that the caller has written, as it is now. */
export const readComment = async (
  database: Queryable,
  context: CommentContext,
  id: number,
  commentId: number,
): Promise<CommentOnRecord> => {
  const found = await queryRow<CommentRow>(
    database,
    sql`
    SELECT ${commentColumns}
    FROM ${table('comment')} t${joinNamed(context)}
    WHERE t.id = ${int(commentId)} AND ${isOfRecord(context, id)}`,
  )
  if (!found) throw unknownComment(context, id, commentId)
  return showComment(database, context, found)
}
