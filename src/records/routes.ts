/** The paths of records (docs/records.md): each reads its request, asks for the right, and acts. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isHidden } from '../auth/permissions.ts'
import type { Queryable } from '../database/pool.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import { apiError, validationError } from '../errors.ts'
import { answerOnce, readIdempotencyKey } from '../http/idempotency.ts'
import { hasAlready } from '../http/preconditions.ts'
import { nameList, readQuery } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import { noCriteria } from '../query/criteria.ts'
import { parseCriteria, parseOrdering } from '../query/parse-criteria.ts'
import { listHistory } from './history.ts'
import { permitHistory, type RecordText, readRecord, searchRecords } from './read-records.ts'
import {
  type EntityParams,
  enter,
  idOf,
  pageOf,
  pageReaders,
  type RecordDeps,
  type RecordParams,
  readingOf,
  takeNoBody,
  writeRequest,
  writingOf,
} from './record-request.ts'
import { changeRecord, removeRecord, restoreRecord, takeOwnership } from './write/change-record.ts'
import { createRecord } from './write/create-record.ts'
import { etagOf } from './write/lock-record.ts'
import { explained } from './write/refusal.ts'

const json = 'application/json; charset=utf-8'

/** Mounts create, list, search, read, change, remove, restore, takeOwnership and history. */
export const recordRoutes =
  (deps: RecordDeps): Routes =>
  (server) => {
    server.get<EntityParams>('/:entityKey', (request, reply) => list(deps, request, reply))
    server.post<EntityParams>(
      '/:entityKey/search',
      { config: { isReadOnly: true } },
      (request, reply) => search(deps, request, reply),
    )
    server.post<EntityParams>('/:entityKey', (request, reply) => create(deps, request, reply))
    server.get<RecordParams>('/:entityKey/:entityId', (request, reply) =>
      read(deps, request, reply),
    )
    server.patch<RecordParams>('/:entityKey/:entityId', async (request, reply) => {
      const { writing, target } = await writeRequest(deps, request, 'update')
      refuseTask(writing.entity)
      const record = await changeRecord(deps.pool, writing, target, request.body)
      deps.onWritten(writing.entity, target.id)
      return sendRecord(reply, record)
    })
    server.delete<RecordParams>('/:entityKey/:entityId', async (request, reply) => {
      const { writing, target } = await writeRequest(deps, request, 'delete')
      refuseTask(writing.entity)
      takeNoBody(request)
      await removeRecord(deps.pool, writing, target, deps.onRemoved)
      deps.onWritten(writing.entity, target.id)
      return reply.status(204).send()
    })
    server.post<RecordParams>('/:entityKey/:entityId/restore', async (request, reply) => {
      const { writing, target } = await writeRequest(deps, request, 'delete')
      refuseTask(writing.entity)
      takeNoBody(request)
      const record = await restoreRecord(deps.pool, writing, target, deps.onRestored)
      deps.onWritten(writing.entity, target.id)
      return sendRecord(reply, record)
    })
    server.post<RecordParams>('/:entityKey/:entityId/takeOwnership', async (request, reply) => {
      const { writing, target } = await writeRequest(deps, request, 'takeOwnership')
      takeNoBody(request)
      if (!writing.entity.hasOwner)
        throw apiError('request.no-such-path', `Records of ${writing.entity.key} have no owner.`)
      const record = await takeOwnership(deps.pool, writing, target)
      deps.onWritten(writing.entity, target.id)
      return sendRecord(reply, record)
    })
    server.get<RecordParams>('/:entityKey/:entityId/history', (request, reply) =>
      history(deps, request, reply),
    )
  }

// A task is more than its row: its record, its links and who is told of it.
const refuseTask = ({ key }: Entity): void => {
  if (key === 'task')
    throw apiError(
      'request.method-not-allowed',
      'Tasks are written under their record: POST /:entityKey/:entityId/task, PUT and DELETE /:entityKey/:entityId/:taskId.',
      { headers: { Allow: 'GET, HEAD' } },
    )
}

const list = async (
  deps: RecordDeps,
  request: FastifyRequest<EntityParams>,
  reply: FastifyReply,
) => {
  const { caller, entity } = await enter(deps, request)
  const query = readQuery(request.query, { ...pageReaders, sort: nameList, include: nameList })
  const orderBy = (query.sort ?? []).map((name) => parseOrdering({ name, at: 'sort' }))
  const reading = readingOf(deps, caller, entity, query.include)
  const criteria = { ...noCriteria, orderBy }
  return sendPage(reply, await searchRecords(deps.pool, reading, criteria, pageOf(query)))
}

const search = async (
  deps: RecordDeps,
  request: FastifyRequest<EntityParams>,
  reply: FastifyReply,
) => {
  const { caller, entity } = await enter(deps, request)
  const query = readQuery(request.query, { ...pageReaders, include: nameList })
  const criteria = parseCriteria(request.body)
  if (query.include && criteria.select)
    throw validationError('request.invalid', [
      { path: 'include', message: 'cannot stand beside $select; name the fields there' },
    ])
  const reading = readingOf(deps, caller, entity, query.include)
  return sendPage(reply, await searchRecords(deps.readPool, reading, criteria, pageOf(query)))
}

const create = async (
  deps: RecordDeps,
  request: FastifyRequest<EntityParams>,
  reply: FastifyReply,
) => {
  const { caller, entity } = await enter(deps, request)
  readQuery(request.query, {})
  deps.permissions.permitCreate(caller, entity)
  refuseTask(entity)
  const key = readIdempotencyKey(request.headers['idempotency-key'])
  const writing = writingOf(deps, caller, entity, 'all')
  const { pool } = deps
  const work = async (database: Queryable) => {
    const record = await createRecord(database, writing, request.body)
    deps.onWritten(entity, record.id)
    const location = `${deps.basePath}/${entity.key}/${record.id}`
    return {
      status: 201,
      headers: { Location: location, ETag: etagOf(record.version) },
      body: record.json,
    }
  }
  const path = `POST ${entity.key}`
  const answer = await explained(pool, writing, undefined, () =>
    key
      ? answerOnce({ pool, userId: caller.userId, key, request: [path, request.body] }, work)
      : work(pool),
  )
  return reply.status(answer.status).headers(answer.headers).type(json).send(answer.body)
}

const read = async (
  deps: RecordDeps,
  request: FastifyRequest<RecordParams>,
  reply: FastifyReply,
) => {
  const { caller, entity } = await enter(deps, request)
  const query = readQuery(request.query, { include: nameList })
  const reading = readingOf(deps, caller, entity, query.include)
  const record = await readRecord(deps.pool, reading, idOf(entity, request))
  const etag = etagOf(record.version)
  // An expanded record changes with others too, so its tag does not cover it.
  if (query.include === undefined && hasAlready(request.headers['if-none-match'], etag))
    return reply.status(304).header('ETag', etag).send()
  return sendRecord(reply, record)
}

const history = async (
  deps: RecordDeps,
  request: FastifyRequest<RecordParams>,
  reply: FastifyReply,
) => {
  const { caller, entity } = await enter(deps, request)
  const query = readQuery(request.query, pageReaders)
  const id = idOf(entity, request)
  const { permissions, catalog, pool } = deps
  const deleteScope = permissions.scopeOf(caller, 'delete', entity)
  await permitHistory(pool, readingOf(deps, caller, entity), deleteScope, id)
  const rights = permissions.rightsOf(caller, entity)
  const task = getEntity(catalog, 'task')
  const ofTask = { entity: task, rights: permissions.rightsOf(caller, task) }
  const isVisible = (name: string, isOfTask: boolean) => {
    const shown = isOfTask ? ofTask : { entity, rights }
    const column = shown.entity.columnsByName.get(name)
    // A task's links are no column.
    return column ? !isHidden(shown.rights, column) : isOfTask
  }
  const taskScope = permissions.scopeOf(caller, 'tasks', entity)
  const reader = { people: getEntity(catalog, 'user'), access: permissions.accessOf(caller) }
  const wish = { entity, id, page: pageOf(query), isVisible, taskScope, reader }
  const data = await listHistory(pool, wish)
  return reply.send({ data })
}

const sendRecord = (reply: FastifyReply, { json: text, version }: RecordText) =>
  reply.header('ETag', etagOf(version)).type(json).send(text)

const sendPage = (
  reply: FastifyReply,
  { records, total }: { records: readonly string[]; total: number | undefined },
) => {
  const count = total === undefined ? '' : `,"total":${total}`
  return reply.type(json).send(`{"data":[${records.join(',')}]${count}}`)
}
