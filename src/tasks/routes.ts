/** The paths of tasks under their record (interface, "Tasks"). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Queryable } from '../database/pool.ts'
import { callerOf } from '../http/caller-of.ts'
import { answerOnce, readIdempotencyKey } from '../http/idempotency.ts'
import { readIfMatch } from '../http/preconditions.ts'
import { readId, readQuery } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import { shorten } from '../issues.ts'
import { idOf, type RecordParams, takeNoBody } from '../records/record-request.ts'
import { etagOf } from '../records/write/lock-record.ts'
import { listTasks } from './list-tasks.ts'
import { knownEntity } from './own/known-entity.ts'
import { type TaskDeps, taskWorkOf, unknownTask } from './task-parts.ts'
import { changeTask, removeTask } from './write/change-task.ts'
import { createTask } from './write/create-task.ts'

type TaskParams = { Params: { entityKey: string; entityId: string; taskId: string } }

const json = 'application/json; charset=utf-8'

/** Mounts list, create, change and remove. */
export const taskRoutes =
  (deps: TaskDeps): Routes =>
  (server) => {
    const tasks = '/:entityKey/:entityId/task'
    server.get<RecordParams>(tasks, async (request, reply) => {
      const { work, id } = await enterRecord(deps, request)
      return reply.type(json).send(await listTasks(work, id))
    })
    server.post<RecordParams>(tasks, (request, reply) => create(deps, request, reply))
    // A word there is no task: it names nothing, whatever the method.
    const task = '/:entityKey/:entityId/:taskId(^\\d+$)'
    server.put<TaskParams>(task, async (request, reply) => {
      const { work, target } = await enterTask(deps, request)
      const version = await changeTask(deps.pool, work, target, request.body)
      return reply.status(204).header('ETag', etagOf(version)).send()
    })
    server.delete<TaskParams>(task, async (request, reply) => {
      const { work, target } = await enterTask(deps, request)
      takeNoBody(request)
      await removeTask(deps.pool, work, target)
      return reply.status(204).send()
    })
  }

const enterRecord = async (deps: TaskDeps, request: FastifyRequest<RecordParams>) => {
  const caller = callerOf(request)
  const { entityKey, entityId } = request.params
  const entity = await knownEntity(deps, caller, entityKey, entityId)
  readQuery(request.query, {})
  return { work: taskWorkOf(deps, caller, entity), id: idOf(entity, request) }
}

const enterTask = async (deps: TaskDeps, request: FastifyRequest<TaskParams>) => {
  const { work, id } = await enterRecord(deps, request)
  const taskId = readId(request.params.taskId, 'taskId')
  if (taskId === undefined) throw unknownTask(work, id, shorten(request.params.taskId, 30))
  const precondition = readIfMatch(request.headers['if-match'])
  return { work, target: { id, taskId, precondition } }
}

const create = async (
  deps: TaskDeps,
  request: FastifyRequest<RecordParams>,
  reply: FastifyReply,
) => {
  const { work, id } = await enterRecord(deps, request)
  const key = readIdempotencyKey(request.headers['idempotency-key'])
  const { pool, basePath } = deps
  const add = async (database: Queryable) => {
    const created = await createTask(database, work, id, request.body)
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
