/** Reads the bodies of comments: their shape, the rules of their text, and what a reply takes from its thread. */
import { type Queryable, queryRow } from '../database/pool.ts'
import { int, notDeleted, sql, table } from '../database/sql.ts'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { checkedBody } from '../http/endpoint/body.ts'
import { maxRecordId } from '../http/endpoint/parameters.ts'
import {
  checkGivenValues,
  checkNewValues,
  type FieldIssue,
  refused,
} from '../records/write/check-values.ts'
import type { Values } from '../records/write/write-statements.ts'
import { type CommentContext, isOfRecord, reachOf, recordAt } from './comment-deps.ts'
import { mentionsIn, tooManyMentions } from './mentions.ts'

const textOfComment = Type.String({
  description: 'Plain text of at most 10,000 characters; `@[7]` mentions the user 7.',
})

const fileOf = Type.Unknown({
  description: 'The id of an upload of the caller, or of a file that the comment has or had.',
})
const idOf = Type.Unknown({ description: 'The id of a file of the comment.' })

export const newComment = checkedBody(
  Type.Object(
    {
      text: textOfComment,
      parent_id: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: maxRecordId,
          description: 'The first comment of the thread to which it replies.',
        }),
      ),
      is_internal: Type.Optional(
        Type.Boolean({ description: 'By default false; a reply is as its thread is.' }),
      ),
      files: Type.Optional(
        Type.Array(Type.String({ description: 'The id of an upload of the caller.' }), {
          description: 'At most 20.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  {
    comment: { summary: 'A comment', value: { text: 'The price is right. @[2] please approve.' } },
    files: {
      summary: 'A comment with a file',
      value: { text: 'The offer', files: ['up_9fT2kQ7xV1bN4mZcR8dW3sY6aL0eHuJg'] },
    },
    reply: { summary: 'A reply', value: { text: 'Done.', parent_id: 1 } },
  },
)

export const changedComment = checkedBody(
  Type.Object(
    {
      text: Type.Optional(textOfComment),
      files: Type.Optional(
        Type.Union([
          Type.Array(fileOf, { description: 'All of its files, at most 20.' }),
          Type.Object(
            {
              add: Type.Optional(Type.Array(fileOf)),
              remove: Type.Optional(Type.Array(idOf)),
              order: Type.Optional(Type.Array(idOf)),
            },
            {
              additionalProperties: false,
              description: 'What is different: which come at the end, go, or come first.',
            },
          ),
        ]),
      ),
      is_resolved: Type.Optional(
        Type.Boolean({
          description: 'Of the first comment of a thread: whether that is resolved.',
        }),
      ),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  { resolve: { summary: 'A resolved thread', value: { is_resolved: true } } },
)

export type NewComment = ReturnType<typeof newComment.read>
export type ChangedComment = ReturnType<typeof changedComment.read>

type Parent = {
  readonly id: number
  readonly parent_id: number | null
  readonly is_internal: boolean
}

/** A body as it would be written. */
export type ReadComment = {
  readonly values: Values
  readonly isInternal: boolean
  readonly mentioned: readonly number[]
  readonly issues: readonly FieldIssue[]
}

/** The body of a new comment with what its thread decides. */
export const readNewComment = async (
  database: Queryable,
  context: CommentContext,
  id: number,
  body: NewComment,
): Promise<ReadComment> => {
  const { entity, comment, deps, settings } = context
  const parent =
    body.parent_id === undefined
      ? undefined
      : await findParent(database, context, id, body.parent_id)
  const isInternal = parent?.is_internal ?? body.is_internal ?? false
  const checked = checkNewValues({
    ...optionsOf(context),
    catalog: deps.catalog,
    entity: comment,
    body: {
      key: entity.key,
      entity_id: id,
      text: body.text,
      is_internal: isInternal,
      ...(body.files && { files: body.files }),
      ...(parent && { parent_id: parent.id }),
    },
  })
  const mentioned = mentionsIn(body.text)
  const issues = [
    ...checked.issues,
    ...blankIssues(body.text),
    ...tooManyMentions(mentioned),
    ...(body.parent_id === undefined ? [] : parentIssues(body, parent)),
    ...(isInternal && !parent && !settings.internal
      ? [
          refused(
            'is_internal',
            `is not possible: comments on ${entity.key} are for all its readers`,
          ),
        ]
      : []),
  ]
  return { values: checked.values, isInternal, mentioned, issues }
}

/** The new text and files of a comment. */
export const readContent = (
  context: CommentContext,
  body: Pick<ChangedComment, 'text' | 'files'>,
): Pick<ReadComment, 'values' | 'issues' | 'mentioned'> => {
  const { text = '' } = body
  const checked = checkGivenValues({ ...optionsOf(context), entity: context.comment, body })
  const mentioned = mentionsIn(text)
  const issues = [...checked.issues, ...blankIssues(text), ...tooManyMentions(mentioned)]
  return { values: checked.values, mentioned, issues }
}

const optionsOf = ({ deps }: CommentContext) => ({
  timeZone: deps.timeZone,
  isHidden: () => false,
  isReadOnly: () => false,
})

// The empty text is an issue of its field.
const blankIssues = (text: string): readonly FieldIssue[] =>
  text !== '' && text.trim() === '' ? [refused('text', 'is blank')] : []

const parentIssues = (body: NewComment, parent: Parent | undefined): readonly FieldIssue[] => {
  if (!parent) return [refused('parent_id', `there is no comment ${body.parent_id} on this record`)]
  if (parent.parent_id !== null)
    return [refused('parent_id', `is itself a reply; its thread begins with ${parent.parent_id}`)]
  return body.is_internal !== undefined && body.is_internal !== parent.is_internal
    ? [refused('is_internal', `is ${parent.is_internal} for this thread; leave it out`)]
    : []
}

const findParent = (
  database: Queryable,
  context: CommentContext,
  id: number,
  parentId: number,
): Promise<Parent | undefined> => {
  // One that the caller does not see is one that is not there.
  const seesInternal = sql`EXISTS (
    SELECT FROM ${recordAt(context, id)} AND ${reachOf(context).seesInternal}
  )`
  return queryRow<Parent>(
    database,
    sql`
    SELECT t.id, t.parent_id, t.is_internal
    FROM ${table('comment')} t
    WHERE t.id = ${int(parentId)} AND ${isOfRecord(context, id)} AND ${notDeleted('t')}
      AND (NOT t.is_internal OR ${seesInternal})`,
  )
}
