/** The paths of tasks under their record (interface, "Tasks"). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Queryable } from '../database/pool.ts'
import { Fault } from '../errors.ts'
import { callerOf } from '../http/caller-of.ts'
import { answerOnce, readIdempotencyKey } from '../http/idempotency.ts'
import { readIfMatch } from '../http/preconditions.ts'
import { readId, readQuery } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import { etagOf } from '../records/lock-record.ts'
import { idOf, type RecordParams, takeNoBody } from '../records/record-request.ts'
import { changeTask, removeTask } from './change-task.ts'
import { createTask } from './create-task.ts'
import { listTasks } from './list-tasks.ts'
import { type TaskParts, type TaskWork, taskWorkOf, unknownTask } from './task-parts.ts'

type TaskParams = { Params: { entityKey: string; entityId: string; taskId: string } }

const json = 'application/json; charset=utf-8'

/** Mounts list, create, change and remove. */
export const taskRoutes =
  (parts: TaskParts): Routes =>
  (server) => {
    const tasks = '/:entityKey/:entityId/task'
    server.get<RecordParams>(tasks, async (request, reply) => {
      const { work, id } = enterRecord(parts, request)
      return reply.type(json).send(await known(work, () => listTasks(work, id)))
    })
    server.post<RecordParams>(tasks, (request, reply) => create(parts, request, reply))
    // A word there is no task: it names nothing, whatever the method.
    const task = '/:entityKey/:entityId/:taskId(^\\d+$)'
    server.put<TaskParams>(task, async (request, reply) => {
      const { work, target } = enterTask(parts, request)
      const version = await known(work, () => changeTask(parts.pool, work, target, request.body))
      return reply.status(204).header('ETag', etagOf(version)).send()
    })
    server.delete<TaskParams>(task, async (request, reply) => {
      const { work, target } = enterTask(parts, request)
      takeNoBody(request)
      await known(work, () => removeTask(parts.pool, work, target))
      return reply.status(204).send()
    })
  }

// An assignee reaches their task also where the role has no right on its record's entity.
const enterRecord = (parts: TaskParts, request: FastifyRequest<RecordParams>) => {
  const caller = callerOf(request)
  const { entityKey } = request.params
  const entity =
    parts.catalog.entities.get(entityKey) ?? parts.permissions.entityFor(caller, entityKey)
  readQuery(request.query, {})
  return { work: taskWorkOf(parts, caller, entity), id: idOf(entity, request) }
}

const unknowns: ReadonlySet<string> = new Set(['record.unknown', 'task.unknown'])

/** What is refused of an entity that the role has no right on is refused as if there were none. */
const known = async <Answer>(work: TaskWork, act: () => Promise<Answer>): Promise<Answer> => {
  const { parts, caller, entity } = work
  try {
    return await act()
  } catch (error) {
    // Who gets as far as a 403 reads the record, or is the assignee.
    if (
      error instanceof Fault &&
      unknowns.has(error.code) &&
      !parts.permissions.touches(caller, entity)
    )
      parts.permissions.entityFor(caller, entity.key)
    throw error
  }
}

const enterTask = (parts: TaskParts, request: FastifyRequest<TaskParams>) => {
  const { work, id } = enterRecord(parts, request)
  const taskId = readId(request.params.taskId, 'taskId')
  if (taskId === undefined) throw unknownTask(work, id, request.params.taskId.slice(0, 30))
  const precondition = readIfMatch(request.headers['if-match'])
  return { work, target: { id, taskId, precondition } }
}

const create = async (
  parts: TaskParts,
  request: FastifyRequest<RecordParams>,
  reply: FastifyReply,
) => {
  const { work, id } = enterRecord(parts, request)
  const key = readIdempotencyKey(request.headers['idempotency-key'])
  const { pool, basePath } = parts
  const add = async (database: Queryable) => {
    const created = await known(work, () => createTask(database, work, id, request.body))
    const headers = {
      Location: `${basePath}/task/${created.id}`,
      ETag: etagOf(created.version),
    }
    return { status: 201, headers, body: `{"id":${created.id}}` }
  }
  const path = `POST ${work.entity.key} ${id} task`
  const { userId } = work.caller
  const answer = key
    ? await answerOnce({ pool, userId, key, request: [path, request.body] }, add)
    : await add(pool)
  return reply.status(answer.status).headers(answer.headers).type(json).send(answer.body)
}
