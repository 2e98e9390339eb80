/**
 * Creates a comment in one statement: it locks the record, asks every right, and writes the comment with history, followers and jobs.
 * One with files is a transaction.
 */
import { authorOf, lackingRoles } from '../auth/caller.ts'
import { type Queryable, queryRow, queryRows } from '../database/pool.ts'
import { bigint, int, type Sql, sql } from '../database/sql.ts'
import { apiError } from '../errors.ts'
import { changesOfNew } from '../records/history.ts'
import { recordError } from '../records/write/write-rejected.ts'
import { entryOfNew, insertStatement } from '../records/write/write-statements.ts'
import { type NewComment, type ReadComment, readNewComment } from './comment-body.ts'
import { type CommentContext, reachOf, recordAt } from './comment-deps.ts'
import { tellOfComment } from './comment-events.ts'
import { takeFilesOf } from './comment-files.ts'
import {
  type CommentOnRecord,
  type CommentRow,
  commentColumns,
  joinNamed,
  showComment,
} from './comment-json.ts'
import { follow } from './followers.ts'
import { findReach } from './list-comments.ts'
import { mentionIssues, selectMentionable } from './mentions.ts'

/** Comments that a user may write in a minute. */
const maxPerMinute = 60

/** Whether a new comment is more than one statement. */
export const needsTransaction = ({ files = [] }: NewComment): boolean => files.length > 0

/** The new comment on a record as its author may see it, or one error with every issue, which ends the transaction. */
export const createComment = async (
  database: Queryable,
  context: CommentContext,
  id: number,
  body: NewComment,
): Promise<CommentOnRecord> => {
  const read = await readNewComment(database, context, id, body)
  if (read.issues.length > 0) throw await explainRefusal(database, context, id, read)
  const { values, keep, issues } = await takeFilesOf(database, context, read.values, 'new')
  if (issues.length > 0) throw await explainRefusal(database, context, id, { ...read, issues })
  const statement = insertComment(context, id, { ...read, values })
  const created = await queryRow<CommentRow>(database, statement)
  if (!created) throw await explainRefusal(database, context, id, read)
  await keep(created.id)
  return showComment(database, context, created)
}

const insertComment = (context: CommentContext, id: number, read: ReadComment): Sql => {
  const { caller, comment } = context
  const { values, mentioned, isInternal } = read
  const { mayWrite, seesInternal } = reachOf(context)
  const record = sql`
    SELECT r.*
    FROM ${recordAt(context, id)} AND ${mayWrite} AND ${isInternal ? seesInternal : sql`true`}
    FOR SHARE`
  const mentionable = selectMentionable(context, sql`record`, { ids: mentioned, isInternal })
  const followers = follow(context, { id, mentioned, isNew: true, after: sql`created` })
  return insertStatement({
    entity: comment,
    author: authorOf(caller),
    values,
    before: [
      sql`record AS (${record})`,
      ...(mentioned.length > 0 ? [sql`mentionable AS (${mentionable})`] : []),
    ],
    from: sql`record`,
    conditions: [
      sql`${recentOf(caller.userId)} < ${bigint(maxPerMinute)}`,
      ...(mentioned.length > 0
        ? [sql`(SELECT count(*) FROM mentionable) = ${bigint(mentioned.length)}`]
        : []),
    ],
    history: { operation: 'createComment', changes: changesOfNew(values) },
    after: followers ? [sql`followers AS (${followers})`] : [],
    selected: [commentColumns],
    jobs: tellOfComment(context, {
      id,
      mentioned,
      commentId: sql`t.id`,
      entry: entryOfNew,
      operation: 'comment',
    }),
    selectedFrom: sql`created t${joinNamed(context)}`,
  })
}

/**
 * How many comments a user has written in the last minute, as far as it matters: by the index of what each user did. Without OFFSET,
 * PostgreSQL may read the comments of all users instead.
 */
const recentOf = (userId: number): Sql => sql`(
  SELECT count(*)
  FROM (
    SELECT
    FROM (
      SELECT h.operation
      FROM docket.history h
      WHERE h.user_id = ${int(userId)} AND h.at > now() - interval '1 minute'
      OFFSET 0
    ) done
    WHERE done.operation = 'createComment'
    LIMIT ${int(maxPerMinute)}
  ) recent
)`

/** Rights come before values: callers who may not read the record learn nothing about it. */
const explainRefusal = async (
  database: Queryable,
  context: CommentContext,
  id: number,
  { issues, mentioned, isInternal }: ReadComment,
) => {
  const { caller } = context
  const reach = await findReach(database, context, id)
  if (!reach.mayWrite) return forbiddenComments(context, 'comments', id)
  if (isInternal && !reach.seesInternal) return forbiddenComments(context, 'internalComments', id)
  const found = await queryRows<{ id: number }>(
    database,
    selectMentionable(context, sql`(SELECT r.* FROM ${recordAt(context, id)})`, {
      ids: mentioned,
      isInternal,
    }),
  )
  const all = [...issues, ...mentionIssues(mentioned, new Set(found.map((one) => one.id)))]
  if (all.length > 0) return recordError(all)
  const recent = await queryRow<{ count: number }>(
    database,
    sql`SELECT ${recentOf(caller.userId)} AS count`,
  )
  if ((recent?.count ?? 0) >= maxPerMinute)
    return apiError('request.too-many', `You have written ${maxPerMinute} comments in a minute.`, {
      headers: { 'Retry-After': '60' },
    })
  // What refused it is gone since.
  return apiError('request.contended', 'The record has changed meanwhile.', {
    headers: { 'Retry-After': '1' },
  })
}

/** The error of a caller whose permission does not include the comments on a record. */
export const forbiddenComments = (
  { deps, caller, entity }: CommentContext,
  right: 'comments' | 'internalComments',
  id: number,
) =>
  apiError(
    'caller.forbidden',
    deps.permissions.scopeOf(caller, right, entity) === 'none'
      ? `${lackingRoles(caller)} permission "${right}" on "${entity.key}".`
      : `The permission "${right}" does not include ${entity.key} ${id}.`,
  )
