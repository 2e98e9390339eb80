/** Writing records over HTTP (docs/records.md): create, change, remove, restore, take over. */
import type { FastifyReply } from 'fastify'
import { createPermissions } from '../auth/permissions.ts'
import type { Connection, Queryable } from '../database/pool.ts'
import { sql, table } from '../database/sql.ts'
import { partOf, transaction, type Writer, writerOn } from '../database/transaction.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { partOfRecords } from '../definitions/native-entities.ts'
import { apiError, validationError } from '../errors.ts'
import { type EntityPlace, parsedBody } from '../http/endpoint/body.ts'
import { entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { flag, idempotencyKey, ifMatch } from '../http/endpoint/parameters.ts'
import { answerOnce, type Answer as StoredAnswer, sendAnswer } from '../http/idempotency.ts'
import { schemaNames } from '../http/openapi/entity-schemas.ts'
import { type Answer, empty, json, schemaRef } from '../http/openapi/operation.ts'
import type { Precondition } from '../http/preconditions.ts'
import { compileScope } from '../query/compile-scope.ts'
import { type Asked, readLines } from './lines-of-body.ts'
import type { RecordText } from './read-records.ts'
import {
  createWriteContext,
  type Entered,
  nothingOfIt,
  quoted,
  type RecordDeps,
  recordParams,
  sendRecord,
  tagOf,
  unseenLater,
  writtenAnswer,
} from './record-request.ts'
import {
  changeRecord,
  createRecord,
  needsTransaction,
  removeRecord,
  restoreRecord,
  takeOwnership,
  type WrittenWith,
} from './write/change-record.ts'
import type { Target } from './write/lock-record.ts'
import type { WriteContext } from './write/write-context.ts'
import { withConflicts } from './write/write-rejected.ts'
import { linesOn } from './write-lines.ts'

/** What is part of a record is more than its row: the record, links and who is notified. */
export const refuseParts = (entity: Entity) => {
  const part = partOfRecords(entity)
  return (
    part &&
    apiError(
      'request.method-not-allowed',
      `${part.word}s are written under their record: ${part.paths}.`,
      { headers: { Allow: 'GET, HEAD' } },
    )
  )
}

const create = entityEndpoint({
  verb: 'create',
  method: 'post',
  path: '',
  right: 'create',
  refuse: refuseParts,
  summary: (entity) => `Create a record of ${quoted(entity)}`,
  description: 'Everything is checked at once, and `errors` names every issue.',
  headers: { idempotencyKey },
  body: parsedBody(({ catalog, entity }) => ({
    schema: schemaRef(schemaNames(catalog, entity).create),
  })),
  errors: ['caller.condition-not-met', 'record.conflict', 'record.invalid', 'record.locked'],
  answers: (place) => ({ 201: createdAnswer(place) }),
  handle: async ({ caller, entity, scope, body, headers, reply }, deps: RecordDeps) => {
    const { pool, basePath, onWritten } = deps
    const context = createWriteContext(deps, { caller, entity, scope })
    const { own, linesOf } = withLines(deps, { caller, entity, isNew: true }, body)
    const work = async (database: Queryable, lines?: WrittenWith) => {
      const record = await createRecord(database, context, own, lines)
      onWritten(entity, record.id)
      const location = `${basePath}/${entity.key}/${record.id}`
      return {
        status: 201,
        headers: { Location: location, ETag: tagOf(record, context) },
        body: record.json,
      }
    }
    const { userId } = caller
    const key = headers.idempotencyKey
    const request = [`POST ${entity.key}`, body]
    const inTransaction = (connection: Connection) => work(connection, linesOf?.(connection))
    const answer = await withConflicts({ database: pool, context }, () => {
      if (key) return answerOnce({ pool, userId, key, request, ...seenOf(context) }, inTransaction)
      return linesOf || needsTransaction(context) ? transaction(pool, inTransaction) : work(pool)
    })
    return sendAnswer(reply, answer)
  },
})

/** What its creator sees of a record when the answer is repeated. */
const seenOf = (context: WriteContext) => {
  const { entity, access } = context
  const scope = access.readScope(entity)
  const inScope = compileScope(scope, entity.hasOwner, 't')
  const isSeen = sql`EXISTS (
    SELECT FROM ${table(entity)} t
    WHERE t.id = (idempotency_key.body::json ->> 'id')::integer AND ${inScope}
  )`
  return { unseen: unseenLater(context), isSeen: typeof scope === 'string' ? undefined : isSeen }
}

/** The record, or nothing of it where a role that may create it may not read it. */
const createdAnswer = (place: EntityPlace): Answer => {
  const record = schemaRef(schemaNames(place.catalog, place.entity).record)
  const headers = ['ETag', 'Location', 'Idempotency-Replayed']
  return isReadByCreators(place.catalog, place.entity)
    ? json('The new record.', record, headers)
    : json(
        'The new record; an empty object for a role that may not read it.',
        { anyOf: [record, nothingOfIt] },
        headers,
      )
}

const isReadByCreators = (catalog: Catalog, entity: Entity): boolean => {
  const { rightsOf } = createPermissions(catalog)
  return [...catalog.roles.keys()].every((roleKey) => {
    const { create: mayCreate, scopes, conditions } = rightsOf({ userId: 0, roleKey }, entity)
    return !mayCreate || (scopes.read !== false && conditions.read === undefined)
  })
}

const onRecord = { params: recordParams, headers: { ifMatch } }

const change = entityEndpoint({
  params: recordParams,
  headers: { ifMatch, idempotencyKey },
  verb: 'change',
  method: 'patch',
  path: '/{entityId}',
  right: 'update',
  refuse: refuseParts,
  summary: (entity) => `Change a record of ${quoted(entity)}`,
  body: parsedBody(({ catalog, entity }) => ({
    schema: schemaRef(schemaNames(catalog, entity).change),
  })),
  errors: ['caller.condition-not-met', 'record.conflict', 'record.invalid', 'record.locked'],
  answers: (place) => {
    const answer = writtenAnswer('The record as it is now.', place)
    const more = ['Content-Location', 'Idempotency-Replayed']
    return { 200: { ...answer, headers: [...(answer.headers ?? []), ...more] } }
  },
  handle: async (call, deps: RecordDeps) => {
    const { caller, entity, body, headers, params, reply } = call
    const { pool, onWritten } = deps
    const context = createWriteContext(deps, call)
    const { own, linesOf } = withLines(deps, { caller, entity, isNew: false }, body)
    const target = { id: params.entityId, precondition: headers.ifMatch }
    const work = async (writer: Writer): Promise<StoredAnswer> => {
      const record = await changeRecord(writer, context, target, own, linesOf)
      onWritten(entity, target.id)
      const location = `${deps.basePath}/${entity.key}/${target.id}`
      return {
        status: 200,
        headers: { 'Content-Location': location, ETag: tagOf(record, context) },
        body: record.json,
      }
    }
    const { idempotencyKey: key } = headers
    if (!key) return sendAnswer(reply, await work(writerOn(pool)))
    const request = [`PATCH ${entity.key}/${target.id}`, target.precondition, body]
    const { userId } = caller
    const answer = await answerOnce(
      { pool, userId, key, request, ...seenOf(context) },
      (connection) => work(partOf(connection)),
    )
    return sendAnswer(reply, answer)
  },
})

/** The body without its lines, and how these are written; undefined if it names no one-to-many field. */
const withLines = (deps: RecordDeps, asked: Asked, body: unknown) => {
  const lines = readLines(deps, asked, body)
  const hasLines = lines.lists.length > 0 || lines.issues.length > 0
  return {
    own: lines.own,
    linesOf: hasLines ? linesOn(deps, lines, deps.onWritten) : undefined,
  }
}

const remove = entityEndpoint({
  ...onRecord,
  verb: 'remove',
  method: 'delete',
  path: '/{entityId}',
  right: 'delete',
  refuse: refuseParts,
  summary: (entity) => `Remove a record of ${quoted(entity)}`,
  description:
    'The row stays, marked `_is_deleted`; its history and links to it remain. Its tasks go with it.',
  query: {
    forever: flag(
      'Remove it for good, with its tasks, its history and what was sent about it: needs the permission `purge` too. Nothing may link to it.',
    ),
  },
  errors: [
    'caller.condition-not-met',
    'record.invalid',
    'record.linked',
    'record.locked',
    'request.invalid',
  ],
  answers: () => ({ 204: empty('Removed.') }),
  handle: async (call, deps: RecordDeps) => {
    if (call.query.forever) await purge(call, deps)
    else
      await write(call, deps, (writer, context, target) =>
        removeRecord(writer, context, target, deps.onRemoved),
      )
  },
})

const purge = async (call: OnRecord, deps: RecordDeps): Promise<void> => {
  const { caller, entity, params, headers } = call
  if (entity.isNative)
    throw validationError('request.invalid', [
      { path: 'forever', message: `is not for records of ${entity.key}, which others rely on` },
    ])
  const purgeable = deps.permissions.permit(caller, 'purge', entity)
  const context = createWriteContext(deps, call)
  const target = { id: params.entityId, precondition: headers.ifMatch }
  await deps.purge(deps.pool, { context, purgeable }, target)
  deps.onWritten(entity, target.id)
}

const restore = entityEndpoint({
  ...onRecord,
  verb: 'restore',
  method: 'post',
  path: '/{entityId}/restore',
  right: 'delete',
  refuse: refuseParts,
  summary: (entity) => `Restore a removed record of ${quoted(entity)}`,
  description:
    'Needs the permission `delete`. Its tasks are restored too. A search by `_is_deleted` finds removed records.',
  errors: ['caller.condition-not-met', 'record.conflict', 'record.locked'],
  answers: (place) => ({ 200: writtenAnswer('The record as it was.', place) }),
  handle: (call, deps: RecordDeps) =>
    sendWritten(call, deps, (writer, context, target) =>
      restoreRecord(writer, context, target, deps.onRestored),
    ),
})

const takeOver = entityEndpoint({
  ...onRecord,
  verb: 'takeOwnership',
  method: 'post',
  path: '/{entityId}/takeOwnership',
  right: 'takeOwnership',
  refuse: ({ key, hasOwner }) =>
    hasOwner ? undefined : apiError('request.no-such-path', `Records of ${key} have no owner.`),
  summary: (entity) => `Become the owner of a record of ${quoted(entity)}`,
  errors: ['record.locked'],
  answers: (place) => ({ 200: writtenAnswer('The record; `_owned_by` is the caller.', place) }),
  handle: (call, deps: RecordDeps) => sendWritten(call, deps, takeOwnership),
})

type OnRecord = Entered & {
  readonly params: { readonly entityId: number }
  readonly headers: { readonly ifMatch: Precondition }
}

type Write<T> = (writer: Writer, context: WriteContext, target: Target) => Promise<T>

/** Writes the record of the path, if it has a version that the caller expects. */
const write = async <T>(call: OnRecord, deps: RecordDeps, run: Write<T>) => {
  const target = { id: call.params.entityId, precondition: call.headers.ifMatch }
  const context = createWriteContext(deps, call)
  const written = await run(writerOn(deps.pool), context, target)
  deps.onWritten(call.entity, target.id)
  return { written, context }
}

/** The same, answered with the record. */
const sendWritten = async (
  call: OnRecord & { readonly reply: FastifyReply },
  deps: RecordDeps,
  run: Write<RecordText>,
) => {
  const { written, context } = await write(call, deps, run)
  return sendRecord(call.reply, written, context)
}

export const writeEndpoints = [create, change, remove, restore, takeOver]
