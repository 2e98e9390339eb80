/** Changes, resolves and removes comments: the author alone changes what it says, whoever may comment resolves a thread. */
import { authorOf } from '../auth/caller.ts'
import { type Connection, execute, type Pool, queryRow, queryRows } from '../database/pool.ts'
import {
  bigint,
  int,
  isoTime,
  text as literal,
  notDeleted,
  type Sql,
  sql,
  table,
} from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { isFileColumn } from '../definitions/files.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { apiError } from '../errors.ts'
import { holds, type Precondition } from '../http/preconditions.ts'
import type { FieldIssue } from '../records/write/check-values.ts'
import { staleRecord } from '../records/write/lock-record.ts'
import { systemValue } from '../records/write/write-needs.ts'
import { recordError } from '../records/write/write-rejected.ts'
import { updateStatement, type Values } from '../records/write/write-statements.ts'
import { type ChangedComment, readContent } from './comment-body.ts'
import { type CommentContext, isOfRecord, recordAt, unknownComment } from './comment-deps.ts'
import { tellOfComment } from './comment-events.ts'
import { areSameFiles, filesIn, takeFilesOf } from './comment-files.ts'
import { forbiddenComments } from './create-comment.ts'
import { follow } from './followers.ts'
import { findReach } from './list-comments.ts'
import { mentionIssues, mentionsIn, selectMentionable } from './mentions.ts'

type CommentTarget = {
  /** The record of the path. */
  readonly id: number
  readonly commentId: number
  readonly precondition: Precondition
}

type Locked = {
  readonly text: string
  /** As JSON. */
  readonly files: string | null
  readonly parent_id: number | null
  readonly is_internal: boolean
  readonly created_by: number | null
  readonly resolved_at: string | null
  readonly version: number
}

/** Writes what the body says; nothing where it says what is so already. */
export const changeComment = (
  pool: Pool,
  context: CommentContext,
  target: CommentTarget,
  body: ChangedComment,
): Promise<void> =>
  transaction(pool, async (connection) => {
    const locked = await lockComment(connection, context, target)
    if (body.text !== undefined || body.files !== undefined) {
      requireOwn(context, locked, 'change')
      await writeContent(connection, context, target, locked, body)
    }
    const isResolved = locked.resolved_at !== null
    if (body.is_resolved === undefined || body.is_resolved === isResolved) return
    if (locked.parent_id !== null)
      throw recordError([
        {
          path: 'is_resolved',
          message: `is of a whole thread; it begins with the comment ${locked.parent_id}`,
          rule: 'refused',
        },
      ])
    const { caller } = context
    const values = valuesOf(context, {
      resolved_by_id: body.is_resolved ? caller.userId : null,
      resolved_at: body.is_resolved ? new Date().toISOString() : null,
    })
    const operation = body.is_resolved ? 'resolveComment' : 'reopenComment'
    await write(connection, context, target, { values, operation })
  })

/** Marks a comment as removed; administrators remove those of others too. */
export const removeComment = (
  pool: Pool,
  context: CommentContext,
  target: CommentTarget,
): Promise<void> =>
  transaction(pool, async (connection) => {
    const locked = await lockComment(connection, context, target)
    if (context.caller.roleKey !== administratorRole) requireOwn(context, locked, 'remove')
    const values = systemValue(context.comment, '_is_deleted', true)
    await write(connection, context, target, { values, operation: 'removeComment' })
  })

const requireOwn = (
  { caller }: CommentContext,
  { created_by }: Locked,
  what: 'change' | 'remove',
): void => {
  if (created_by !== caller.userId)
    throw apiError('caller.forbidden', `Only its author may ${what} a comment.`)
}

/** Locks the record and the comment, and throws the error of a caller who may not write it. */
const lockComment = async (
  connection: Connection,
  context: CommentContext,
  { id, commentId, precondition }: CommentTarget,
): Promise<Locked> => {
  await queryRows(connection, sql`SELECT FROM ${recordAt(context, id)} FOR SHARE`)
  const { mayWrite, seesInternal } = await findReach(connection, context, id)
  const locked = await queryRow<Locked>(
    connection,
    sql`
    SELECT t.text, t.files, t.parent_id, t.is_internal, t._created_by AS created_by,
      ${isoTime('t.resolved_at')} AS resolved_at, t._version AS version
    FROM ${table('comment')} t
    WHERE t.id = ${int(commentId)} AND ${isOfRecord(context, id)} AND ${notDeleted('t')}
    FOR NO KEY UPDATE`,
  )
  if (!locked || (locked.is_internal && !seesInternal)) throw unknownComment(context, id, commentId)
  if (!mayWrite) throw forbiddenComments(context, 'comments', id)
  if (!holds(precondition, locked.version))
    throw staleRecord(context.comment, commentId, locked.version)
  return locked
}

/** Writes what is new of its text and files. Only users who were not mentioned before are told. */
const writeContent = async (
  connection: Connection,
  context: CommentContext,
  target: CommentTarget,
  locked: Locked,
  { text = locked.text, files }: ChangedComment,
): Promise<void> => {
  const read = readContent(context, {
    ...(text !== locked.text && { text }),
    ...(files && { files }),
  })
  const earlier = new Set(mentionsIn(locked.text))
  const mentioned = read.mentioned.filter((one) => !earlier.has(one))
  const refused = await mentionIssuesIn(connection, context, target, locked, mentioned)
  const taken = await takeFilesOf(connection, context, read.values, target.commentId)
  const issues = [...read.issues, ...refused, ...taken.issues]
  if (issues.length > 0) throw recordError(issues)
  const values = withoutSameFiles(taken.values, locked)
  if (values.size === 0) return
  const edited = valuesOf(context, { edited_at: new Date().toISOString() })
  const written = new Map([...values, ...edited])
  const entry = await write(connection, context, target, {
    values: written,
    operation: 'changeComment',
  })
  await taken.keep(target.commentId)
  if (mentioned.length > 0) await tellMentioned(connection, context, target, { mentioned, entry })
}

const withoutSameFiles = (values: Values, { files }: Locked): Values =>
  new Map(
    [...values].filter(
      ([column, value]) => !(isFileColumn(column) && areSameFiles(filesIn(value), filesIn(files))),
    ),
  )

const mentionIssuesIn = async (
  connection: Connection,
  context: CommentContext,
  { id }: CommentTarget,
  { is_internal: isInternal }: Locked,
  mentioned: readonly number[],
): Promise<readonly FieldIssue[]> => {
  if (mentioned.length === 0) return []
  const record = sql`(SELECT r.* FROM ${recordAt(context, id)})`
  const select = selectMentionable(context, record, { ids: mentioned, isInternal })
  const found = await queryRows<{ id: number }>(connection, select)
  return mentionIssues(mentioned, new Set(found.map((one) => one.id)))
}

const tellMentioned = async (
  connection: Connection,
  context: CommentContext,
  { id, commentId }: CommentTarget,
  { mentioned, entry }: { readonly mentioned: readonly number[]; readonly entry: number | null },
): Promise<void> => {
  const followers = follow(context, { id, mentioned, isNew: false })
  if (followers) await execute(connection, followers)
  const said = { commentId: int(commentId), entry: bigint(entry) }
  const told = { id, mentioned, ...said, operation: 'mention' } as const
  for (const event of tellOfComment(context, told))
    await queryRows(connection, sql`SELECT ${event}`)
}

const valuesOf = (
  { comment }: CommentContext,
  values: Readonly<Record<string, SqlValue>>,
): Values => {
  const all = Object.entries(values).flatMap(([name, value]) => [
    ...systemValue(comment, name, value),
  ])
  return new Map(all)
}

/** Returns the id of the entry of the history; of what was so already there is none. */
const write = async (
  connection: Connection,
  { comment, caller }: CommentContext,
  { commentId }: CommentTarget,
  { values, operation }: { readonly values: Values; readonly operation: string },
): Promise<number | null> => {
  const row: Sql = sql`
    SELECT t.*
    FROM ${table('comment')} t
    WHERE t.id = ${int(commentId)}
    FOR NO KEY UPDATE`
  const statement = updateStatement({
    entity: comment,
    author: authorOf(caller),
    values,
    row,
    change: {
      operation: operation === 'removeComment' ? 'remove' : 'change',
      historyOperation: literal(operation),
    },
    selected: [sql`h.id AS entry`],
  })
  const written = await queryRow<{ entry: number | null }>(connection, statement)
  return written?.entry ?? null
}
