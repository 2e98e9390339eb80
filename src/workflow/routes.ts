/** The paths of the workflow (docs/workflow.md): what may be done with a record now, and doing it. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import type { Entity } from '../definitions/catalog.ts'
import { apiError } from '../errors.ts'
import { readIfMatch } from '../http/preconditions.ts'
import { readQuery } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import {
  enter,
  idOf,
  type RecordDeps,
  type RecordParams,
  writingOf,
} from '../records/record-request.ts'
import { etagOf } from '../records/write/lock-record.ts'
import { parseActionRequest } from './action-request.ts'
import { listActions } from './list-actions.ts'
import { proceedToStep } from './proceed-to-step.ts'
import { actionKeys, getWorkflow } from './workflow.ts'

/** Mounts actions and proceedToStep. */
export const workflowRoutes =
  (deps: RecordDeps): Routes =>
  (server) => {
    server.get<RecordParams>('/:entityKey/:entityId/actions', async (request) => {
      const { caller, entity } = await enter(deps, request)
      readQuery(request.query, {})
      getWorkflow(entity)
      const scope = deps.permissions.permit(caller, 'read', entity)
      const rights = deps.permissions.rightsOf(caller, entity)
      return listActions(deps.pool, { entity, rights, scope }, idOf(entity, request))
    })
    server.post<RecordParams>('/:entityKey/:entityId/proceedToStep', (request, reply) =>
      proceed(deps, request, reply),
    )
  }

const proceed = async (
  deps: RecordDeps,
  request: FastifyRequest<RecordParams>,
  reply: FastifyReply,
) => {
  const { caller, entity } = await enter(deps, request)
  readQuery(request.query, {})
  const workflow = getWorkflow(entity)
  permitAction(deps, caller, entity, request.body)
  const precondition = readIfMatch(request.headers['if-match'])
  const target = { id: idOf(entity, request), precondition }
  const { actions } = deps.permissions.rightsOf(caller, entity)
  const proceeding = parseActionRequest(workflow, request.body, (key) => actions.has(key))
  // The right to an action reaches every record that the caller may read.
  const writing = writingOf(deps, caller, entity, 'all')
  const { json, version } = await proceedToStep(deps.pool, writing, target, proceeding)
  deps.onWritten(entity, target.id)
  return reply.header('ETag', etagOf(version)).type('application/json; charset=utf-8').send(json)
}

/** The right is asked for before the body is judged; a name that is no action is left to that. */
const permitAction = (
  { permissions }: RecordDeps,
  caller: Caller,
  entity: Entity,
  body: unknown,
): void => {
  const { actions } = permissions.rightsOf(caller, entity)
  const action = (body as { action?: unknown } | null | undefined)?.action
  const isKnown = typeof action === 'string' && actionKeys(getWorkflow(entity)).includes(action)
  if (isKnown ? actions.has(action) : actions.size > 0) return
  const permission = isKnown ? `permission for the action "${action}"` : 'permission for any action'
  throw apiError(
    'caller.forbidden',
    `Role "${caller.roleKey}" lacks ${permission} on "${entity.key}".`,
  )
}
