/** Tasks under their record over HTTP (docs/tasks.md): list, create, change, remove. */
import type { Caller } from '../auth/caller.ts'
import type { Queryable } from '../database/pool.ts'
import { parsedBody } from '../http/endpoint/body.ts'
import { entityEndpoint, ofEntity } from '../http/endpoint/entity-endpoint.ts'
import { JsonText, sendJsonParts } from '../http/endpoint/mount-path.ts'
import { id, idempotencyKey, ifMatch } from '../http/endpoint/parameters.ts'
import { answerOnce, sendAnswer } from '../http/idempotency.ts'
import { empty, json, objectOf } from '../http/openapi/operation.ts'
import { recordParams } from '../records/record-request.ts'
import { etagOf } from '../records/write/lock-record.ts'
import { withConflicts } from '../records/write/write-rejected.ts'
import { changeTask, removeTask } from './change-task.ts'
import { createTask } from './create-task.ts'
import { listTasks } from './list-tasks.ts'
import {
  createTaskContext,
  createWrittenContext,
  knownEntity,
  type TaskDeps,
  taskWrite,
  unknownTask,
} from './task-deps.ts'
import { changeExamples, createExamples, taskSchema, taskUnderRecord } from './task-json.ts'

const findEntity = (
  deps: TaskDeps,
  caller: Caller,
  { entityKey = '', entityId }: Readonly<Record<string, string>>,
) => knownEntity(deps, caller, entityKey, entityId)

const taskId = id({
  description: 'Id of a task that belongs to the record or is linked to it.',
  unknown: (text, { entity, params }) =>
    unknownTask({ entity: entity ?? { key: 'record' } }, params.entityId ?? '', text),
  errors: ['task.unknown'],
  // A word in its place is not a task: the path does not exist, whatever the method.
  pattern: '^\\d+$',
})

const onTask = {
  path: '/{entityId}/{taskId}',
  params: { ...recordParams, taskId },
  headers: { ifMatch },
  findEntity,
} as const

const list = entityEndpoint({
  verb: 'listTasks',
  method: 'get',
  path: '/{entityId}/task',
  findEntity,
  summary: ofEntity('Tasks of a record'),
  description: 'Its own and those that are linked to it, soonest due first.',
  params: recordParams,
  answers: () => ({ 200: json('The tasks.', { type: 'array', items: taskUnderRecord }) }),
  handle: async ({ caller, entity, params, reply }, deps: TaskDeps) => {
    const context = createTaskContext(deps, caller, entity)
    const tasks = await deps.read((pool) => listTasks(pool, context, params.entityId))
    return typeof tasks === 'string' ? new JsonText(tasks) : sendJsonParts(reply, tasks)
  },
})

const create = entityEndpoint({
  verb: 'createTask',
  method: 'post',
  path: '/{entityId}/task',
  findEntity,
  summary: ofEntity('Attach a task to a record'),
  params: recordParams,
  headers: { idempotencyKey },
  body: parsedBody(({ catalog }) => ({
    schema: taskSchema(catalog, 'create'),
    examples: createExamples,
  })),
  errors: ['record.conflict', 'record.invalid'],
  answers: () => ({
    201: json('Its id.', objectOf({ id: { type: 'integer' } }), [
      ...['ETag', 'Location', 'Idempotency-Replayed'],
    ]),
  }),
  handle: async ({ caller, entity, params, headers, body, reply }, deps: TaskDeps) => {
    const { pool, basePath } = deps
    const context = await createWrittenContext(pool, deps, { caller, entity, id: params.entityId })
    const add = async (database: Queryable) => {
      const created = await createTask(database, context, params.entityId, body)
      return {
        status: 201,
        headers: {
          Location: `${basePath}/task/${created.id}`,
          ETag: etagOf(created.version),
        },
        body: `{"id":${created.id}}`,
      }
    }
    const { userId } = caller
    const key = headers.idempotencyKey
    const request = [`POST ${entity.key} ${params.entityId} task`, body]
    const answer = await withConflicts({ database: pool, context: taskWrite(context) }, () =>
      key ? answerOnce({ pool, userId, key, request }, add) : add(pool),
    )
    return sendAnswer(reply, answer)
  },
})

const change = entityEndpoint({
  ...onTask,
  verb: 'changeTask',
  method: 'put',
  summary: ofEntity('Change or complete a task of a record'),
  description:
    'Any of the fields. The assignee may complete and reopen it without the permission `tasks`.',
  body: parsedBody(({ catalog }) => ({
    schema: taskSchema(catalog, 'change'),
    examples: changeExamples,
  })),
  errors: ['record.conflict', 'record.invalid'],
  answers: () => ({ 204: empty('Changed.', ['ETag']) }),
  handle: async ({ caller, entity, body, reply, ...call }, deps: TaskDeps) => {
    const target = targetOf(call)
    const context = await createWrittenContext(deps.pool, deps, { caller, entity, id: target.id })
    const version = await changeTask(deps.pool, context, target, body)
    reply.header('ETag', etagOf(version))
  },
})

const remove = entityEndpoint({
  ...onTask,
  verb: 'removeTask',
  method: 'delete',
  summary: ofEntity('Remove a task of a record'),
  description: 'With or without a slash at the end of the path, like every path.',
  answers: () => ({ 204: empty('Removed.') }),
  handle: ({ caller, entity, ...call }, deps: TaskDeps) =>
    removeTask(deps.pool, createTaskContext(deps, caller, entity), targetOf(call)),
})

const targetOf = <M>({
  params: { entityId, taskId: task },
  headers,
}: {
  readonly params: { readonly entityId: number; readonly taskId: number }
  readonly headers: { readonly ifMatch: M }
}) => ({ id: entityId, taskId: task, precondition: headers.ifMatch })

export const recordTaskEndpoints = [list, create, change, remove]
