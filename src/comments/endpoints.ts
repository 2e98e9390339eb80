/** Comments under their record over HTTP (docs/comments.md): list, create, change, remove; and whether the caller follows the record. */
import type { Queryable } from '../database/pool.ts'
import { transaction } from '../database/transaction.ts'
import { entityEndpoint, ofEntity } from '../http/endpoint/entity-endpoint.ts'
import { flag, id, idempotencyKey, ifMatch, integer } from '../http/endpoint/parameters.ts'
import { answerOnce, sendAnswer } from '../http/idempotency.ts'
import { dataOf, empty, json } from '../http/openapi/operation.ts'
import { type RecordDeps, recordParams } from '../records/record-request.ts'
import { etagOf } from '../records/write/lock-record.ts'
import { changeComment, removeComment } from './change-comment.ts'
import { changedComment, newComment } from './comment-body.ts'
import { createCommentContext, refuseWithout, unknownComment } from './comment-deps.ts'
import { type CommentOnRecord, commentOnRecord } from './comment-json.ts'
import { createComment, needsTransaction } from './create-comment.ts'
import { setFollowing } from './followers.ts'
import { listComments, readComment } from './list-comments.ts'

const commentId = id({
  description: 'Id of a comment on the record.',
  unknown: (text, { entity, params }) =>
    unknownComment(
      entity ? { entity } : { entity: { key: 'record' } },
      params.entityId ?? '',
      text,
    ),
  errors: ['comment.unknown'],
})

const onRecord = {
  path: '/{entityId}/comment',
  params: recordParams,
  refuse: refuseWithout,
} as const

const onComment = {
  path: '/{entityId}/comment/{commentId}',
  params: { ...recordParams, commentId },
  headers: { ifMatch },
  refuse: refuseWithout,
} as const

const list = entityEndpoint({
  ...onRecord,
  verb: 'listComments',
  method: 'get',
  right: 'read',
  summary: ofEntity('Comments on a record'),
  description:
    'The oldest first; internal ones for callers with the permission `internalComments`. A removed comment keeps its place without its text.',
  query: {
    limit: integer({ min: 1, max: 100, default: 50, description: 'The most comments of a page.' }),
    newest: flag('The newest first, not the oldest.'),
    page: integer({ min: 1, max: 10_000, default: 1, description: 'The page, from 1.' }),
  },
  answers: () => ({ 200: json('One page.', dataOf(commentOnRecord)) }),
  handle: async (call, deps: RecordDeps) => {
    const { limit, newest, page } = call.query
    const context = createCommentContext(deps, call)
    const asked = { limit, offset: (page - 1) * limit, newest }
    return {
      data: await deps.read((pool) => listComments(pool, context, call.params.entityId, asked)),
    }
  },
})

const create = entityEndpoint({
  ...onRecord,
  verb: 'createComment',
  method: 'post',
  right: 'comments',
  summary: ofEntity('Comment on a record'),
  description: 'The version of the record stays as it is.',
  headers: { idempotencyKey },
  body: newComment,
  errors: ['record.invalid', 'request.too-many'],
  answers: () => ({
    201: json('The comment.', commentOnRecord, ['ETag', 'Location', 'Idempotency-Replayed']),
  }),
  handle: async (call, deps: RecordDeps) => {
    const { caller, entity, params, headers, body, reply } = call
    const { pool, basePath } = deps
    const context = createCommentContext(deps, call)
    const record = params.entityId
    const add = async (database: Queryable) => {
      const comment = await createComment(database, context, record, body)
      const location = `${basePath}/${entity.key}/${record}/comment/${comment.id}`
      return {
        status: 201,
        headers: { Location: location, ETag: etagOf(comment._version) },
        body: JSON.stringify(comment),
      }
    }
    const { userId } = caller
    const key = headers.idempotencyKey
    const request = [`POST ${entity.key} ${record} comment`, body]
    const added = needsTransaction(body) ? () => transaction(pool, add) : () => add(pool)
    return sendAnswer(
      reply,
      await (key ? answerOnce({ pool, userId, key, request }, add) : added()),
    )
  },
})

const change = entityEndpoint({
  ...onComment,
  verb: 'changeComment',
  method: 'patch',
  right: 'comments',
  summary: ofEntity('Change a comment on a record'),
  description:
    'Its author changes its text and files. A new text tells those whom it mentions now and did not before. Whoever may comment resolves a thread and opens it again.',
  body: changedComment,
  errors: ['record.invalid', 'record.stale'],
  answers: () => ({ 200: json('The comment.', commentOnRecord, ['ETag']) }),
  handle: async (call, deps: RecordDeps): Promise<CommentOnRecord> => {
    const context = createCommentContext(deps, call)
    const target = targetOf(call)
    await changeComment(deps.pool, context, target, call.body)
    const comment = await readComment(deps.pool, context, target.id, target.commentId)
    call.reply.header('ETag', etagOf(comment._version))
    return comment
  },
})

const remove = entityEndpoint({
  ...onComment,
  verb: 'removeComment',
  method: 'delete',
  right: 'comments',
  summary: ofEntity('Remove a comment on a record'),
  description: 'For its author, and for administrators. It keeps its place in the list.',
  errors: ['record.stale'],
  answers: () => ({ 204: empty('Removed.') }),
  handle: (call, deps: RecordDeps) =>
    removeComment(deps.pool, createCommentContext(deps, call), targetOf(call)),
})

const targetOf = <M>({
  params: { entityId, commentId: comment },
  headers,
}: {
  readonly params: { readonly entityId: number; readonly commentId: number }
  readonly headers: { readonly ifMatch: M }
}) => ({ id: entityId, commentId: comment, precondition: headers.ifMatch })

const onFollow = {
  path: '/{entityId}/follow',
  params: recordParams,
  right: 'read',
  refuse: refuseWithout,
} as const

const startFollowing = entityEndpoint({
  ...onFollow,
  verb: 'follow',
  method: 'put',
  summary: ofEntity('Follow a record'),
  answers: () => ({ 204: empty('The caller follows it.') }),
  handle: (call, deps: RecordDeps) =>
    setFollowing(deps.pool, createCommentContext(deps, call), call.params.entityId, true),
})

const stopFollowing = entityEndpoint({
  ...onFollow,
  verb: 'unfollow',
  method: 'delete',
  summary: ofEntity('Follow a record no longer'),
  description: 'It is remembered: no rule makes the caller follow the record again.',
  answers: () => ({ 204: empty('The caller does not follow it.') }),
  handle: (call, deps: RecordDeps) =>
    setFollowing(deps.pool, createCommentContext(deps, call), call.params.entityId, false),
})

export const commentEndpoints = [list, create, change, remove, startFollowing, stopFollowing]
