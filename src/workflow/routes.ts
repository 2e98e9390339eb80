/** The paths of the workflow (docs/workflow.md): what may be done with a record now, and doing it. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import type { Entity } from '../definitions/catalog.ts'
import { fault } from '../errors.ts'
import { readIfMatch } from '../http/preconditions.ts'
import { readQuery } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import {
  enter,
  idOf,
  type RecordParams,
  type RecordParts,
  writingOf,
} from '../records/record-request.ts'
import { etagOf } from '../records/write/lock-record.ts'
import { listActions } from './list-actions.ts'
import { parseProceeding } from './parse-proceeding.ts'
import { proceedToStep } from './proceed-to-step.ts'
import { actionKeys, getWorkflow } from './workflow.ts'

/** Mounts actions and proceedToStep. */
export const workflowRoutes =
  (parts: RecordParts): Routes =>
  (server) => {
    server.get<RecordParams>('/:entityKey/:entityId/actions', async (request) => {
      const { caller, entity } = await enter(parts, request)
      readQuery(request.query, {})
      getWorkflow(entity)
      const scope = parts.permissions.permit(caller, 'read', entity)
      const rights = parts.permissions.rightsOf(caller, entity)
      return listActions(parts.pool, { entity, rights, scope }, idOf(entity, request))
    })
    server.post<RecordParams>('/:entityKey/:entityId/proceedToStep', (request, reply) =>
      proceed(parts, request, reply),
    )
  }

const proceed = async (
  parts: RecordParts,
  request: FastifyRequest<RecordParams>,
  reply: FastifyReply,
) => {
  const { caller, entity } = await enter(parts, request)
  readQuery(request.query, {})
  const workflow = getWorkflow(entity)
  permitAction(parts, caller, entity, request.body)
  const precondition = readIfMatch(request.headers['if-match'])
  const target = { id: idOf(entity, request), precondition }
  const { actions } = parts.permissions.rightsOf(caller, entity)
  const proceeding = parseProceeding(workflow, request.body, (key) => actions.has(key))
  // The right to an action reaches every record that the caller may read.
  const writing = writingOf(parts, caller, entity, 'all')
  const { json, version } = await proceedToStep(parts.pool, writing, target, proceeding)
  parts.onWritten(entity, target.id)
  return reply.header('ETag', etagOf(version)).type('application/json; charset=utf-8').send(json)
}

/** The right is asked for before the body is judged; a name that is no action is left to that. */
const permitAction = (
  { permissions }: RecordParts,
  caller: Caller,
  entity: Entity,
  body: unknown,
): void => {
  const { actions } = permissions.rightsOf(caller, entity)
  const action = (body as { action?: unknown } | null | undefined)?.action
  const isKnown = typeof action === 'string' && actionKeys(getWorkflow(entity)).includes(action)
  if (isKnown ? actions.has(action) : actions.size > 0) return
  const permission = isKnown ? `permission for the action "${action}"` : 'permission for any action'
  throw fault(
    'caller.forbidden',
    `Role "${caller.roleKey}" lacks ${permission} on "${entity.key}".`,
  )
}
