/** The workflow over HTTP (docs/workflow.md): listing the open actions of a record, and taking one. */
import type { FastifyReply } from 'fastify'
import { authorOf, type Caller, lackingRoles, roleKeysOf } from '../auth/caller.ts'
import { writerOn } from '../database/transaction.ts'
import { listColumn } from '../definitions/association-path.ts'
import {
  type Column,
  type Entity,
  getEntity,
  getStepColumn,
  writableColumns,
} from '../definitions/catalog.ts'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { locksField } from '../definitions/step-locks.ts'
import { apiError } from '../errors.ts'
import { answerIn, type LanguageDeps, namesLanguage } from '../http/endpoint/answer-language.ts'
import { checkedBody, parsedBody } from '../http/endpoint/body.ts'
import type { ApiSection } from '../http/endpoint/endpoint.ts'
import { type EntityDeps, entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { flag, ifMatch, maxRecordId } from '../http/endpoint/parameters.ts'
import { dataOf, json } from '../http/openapi/operation.ts'
import { comparedPaths, type Reader } from '../query/conditions/compared-paths.ts'
import {
  createWriteContext,
  type Entered,
  type RecordDeps,
  recordParams,
  sendRecord,
  writtenAnswer,
} from '../records/record-request.ts'
import { askEachRole, findMayCreate, findRightsOnRecord } from '../records/record-rights.ts'
import { type LocksOnRecord, unlockedScope } from '../records/write/locks.ts'
import { approvalEndpoints, approvalTag } from './approval-endpoints.ts'
import { parseActionRequest } from './check-form.ts'
import { joinIds, joinLists, listActions, listActionsOfMany } from './list-actions.ts'
import { proceedToStep } from './proceed-to-step.ts'
import { findDeciders } from './takers.ts'
import { actionKeys, findStep, getWorkflow, withoutWorkflow } from './workflow.ts'
import {
  actionBody,
  actionExamples,
  actionOfRecords,
  openActions,
  stepsText,
} from './workflow-schemas.ts'

type ActionDeps = RecordDeps & LanguageDeps

type ActionCall = Entered & {
  readonly headers: { readonly acceptLanguage: string | undefined }
  readonly reply: FastifyReply
}

/** Whose actions are listed, with names in the language of the answer. */
const askersOf = (deps: ActionDeps, { caller, entity: { key }, headers, reply }: ActionCall) => {
  const { permissions, timeZone } = deps
  const { catalog } = answerIn(deps, headers.acceptLanguage, reply)
  const entity = getEntity(catalog, key)
  const decider = { catalog, timeZone, ...authorOf(caller) }
  const unlocked = unlockedScope(catalog, entity, roleKeysOf(caller))
  const askerOfRole = (role: Caller) => ({
    decider,
    entity,
    rights: permissions.rightsOf(role, entity),
    access: permissions.accessOf(role),
    scope: permissions.scopeOf(role, 'read', entity),
    unlocked,
  })
  return { catalog, asker: askerOfRole(caller), askerOfRole }
}

const refuseWithoutWorkflow = (entity: Entity) =>
  entity.hasWorkflow ? undefined : withoutWorkflow(entity)

const actions = entityEndpoint({
  params: recordParams,
  verb: 'actions',
  method: 'get',
  path: '/{entityId}/actions',
  right: 'read',
  summary: ({ name }) => `What you may do now with a record of “${name}”`,
  description:
    'The actions that are open in its step and that your role may take, each with the form to fill in; and whether you may change, remove and take over this record, and write its tasks.',
  headers: { acceptLanguage: namesLanguage },
  query: {
    removed: flag(
      'The record may be removed: then it has no actions, and `may.delete` says whether you may restore it. Without the permission `delete` on it it is a 404.',
    ),
    deciders: flag('Also `hasDeciders`: whether an active user can decide on the record.'),
  },
  answers: () => ({
    200: json('The step, its actions, and your rights.', openActions, ['Content-Language']),
  }),
  handle: async (call, deps: ActionDeps) => {
    const { caller, params, query } = call
    const { pool, permissions, timeZone } = deps
    const id = params.entityId
    const { catalog, asker, askerOfRole } = askersOf(deps, call)
    const { entity, access } = asker
    const withRemoved = query.removed
    const asked = { catalog, permissions, caller, timeZone, entity, id, withRemoved }
    const { may, unmet, locks, isRemoved } = await findRightsOnRecord(pool, asked)
    const reader = { catalog, entity, access }
    const list = (role: Caller) => listActions(pool, askerOfRole(role), id)
    const listed = joinLists(isRemoved ? [] : await askEachRole(caller, list))
    const hasDeciders =
      query.deciders && listed.step
        ? await findDeciders(pool, deps, { entity, id, step: listed.step.key })
        : undefined
    return {
      ...listed,
      ...(hasDeciders !== undefined && { hasDeciders }),
      // The actions of a record that another one locks are refused.
      data: locks.records.length > 0 ? [] : listed.data,
      may,
      unmetRights: unmet.map(({ right, condition, message }) => ({
        right,
        ...comparedPaths(reader, condition),
        message: message ?? null,
      })),
      lockedFields: printLocks(reader, locks),
      mayCreate: isRemoved ? {} : await findMayCreate(pool, asked, locks),
    }
  },
})

/** The most records of one question for open actions. */
const maxRecords = 100

const actionsOfMany = entityEndpoint({
  refuse: refuseWithoutWorkflow,
  verb: 'openActions',
  method: 'post',
  path: '/actions',
  right: 'read',
  isReadOnly: true,
  summary: ({ name }) => `Which actions you may take now on which records of “${name}”`,
  description:
    'The actions that are open to you for at least one of the records, with the ids of these records: in their steps, with the conditions of the actions, and with forms that your role can fill in. Records that do not exist or that you may not read are left out.',
  headers: { acceptLanguage: namesLanguage },
  body: checkedBody(
    Type.Object(
      {
        ids: Type.Array(Type.Integer({ minimum: 1, maximum: maxRecordId }), {
          minItems: 1,
          maxItems: maxRecords,
          description: 'The records.',
        }),
      },
      { additionalProperties: false },
    ),
    { records: { value: { ids: [1, 2, 3] } } },
  ),
  answers: () => ({
    200: json('The actions, in the order of the definition.', dataOf(actionOfRecords), [
      'Content-Language',
    ]),
  }),
  handle: async (call, deps: ActionDeps) => {
    const { askerOfRole } = askersOf(deps, call)
    const ids = [...new Set(call.body.ids)]
    const lists = await askEachRole(call.caller, (role) =>
      deps.read((pool) => listActionsOfMany(pool, askerOfRole(role), ids)),
    )
    return { data: joinIds(call.entity, lists) }
  },
})

const proceed = entityEndpoint({
  params: recordParams,
  refuse: refuseWithoutWorkflow,
  verb: 'proceedToStep',
  method: 'post',
  path: '/{entityId}/proceedToStep',
  right: ({ caller, entity, sent }, deps) => permitAction(deps, caller, entity, sent),
  summary: ({ name }) => `Take a workflow action on a record of “${name}”`,
  description: (entity) =>
    `${stepsText(getWorkflow(entity))}\n\nIf two callers act at the same time, one succeeds; the other one gets a 409.`,
  headers: { ifMatch },
  body: parsedBody(({ entity }) => ({
    schema: actionBody(entity, getWorkflow(entity)),
    examples: actionExamples(entity, getWorkflow(entity)),
  })),
  errors: [
    'record.invalid',
    'record.conflict',
    'record.locked',
    'workflow.action-not-open',
    'workflow.condition-not-met',
  ],
  answers: (place) => ({ 200: writtenAnswer('The record in its new step.', place) }),
  handle: async ({ caller, entity, scope, params, headers, body, reply }, deps: RecordDeps) => {
    const target = { id: params.entityId, precondition: headers.ifMatch }
    const { actions: taken } = deps.permissions.rightsOf(caller, entity)
    const wanted = parseActionRequest(getWorkflow(entity), body, (key) => taken.has(key))
    // The permission for an action covers every record that the caller may read.
    const context = createWriteContext(deps, { caller, entity, scope })
    const record = await proceedToStep(writerOn(deps.pool), context, target, wanted)
    deps.onWritten(entity, target.id)
    return sendRecord(reply, record, context)
  },
})

/** actions of every entity, actions of many records and proceedToStep of those that have a workflow, and the approvals. */
export const workflowSection: ApiSection<ActionDeps> = {
  tags: [{ name: approvalTag, description: 'What waits for the decision of the caller.' }],
  endpoints: [actions, actionsOfMany, proceed, ...approvalEndpoints],
}

/** The permission is checked before the body; an unknown action is reported with the body. */
export const permitAction = (
  { permissions }: EntityDeps,
  caller: Caller,
  entity: Entity,
  body: unknown,
): void => {
  const { actions: allowed } = permissions.rightsOf(caller, entity)
  const action = (body as { action?: unknown } | null | undefined)?.action
  const isKnown = typeof action === 'string' && actionKeys(getWorkflow(entity)).includes(action)
  if (isKnown ? allowed.has(action) : allowed.size > 0) return
  const permission = isKnown ? `permission for the action "${action}"` : 'permission for any action'
  throw apiError('caller.forbidden', `${lackingRoles(caller)} ${permission} on "${entity.key}".`)
}

// The fields of a record that steps lock, as its reader may see them.

type LockedField = {
  readonly key: string
  /** The link to the record whose step locks it; null: it is the record itself, or the link is hidden. */
  readonly through: string | null
  readonly step: { readonly key: string; readonly name: string } | null
}

/** One for each field that could be written otherwise, with the step that locks it. */
const printLocks = (reader: Reader, { own, records }: LocksOnRecord): LockedField[] => {
  const { catalog, entity, access } = reader
  const owner = entity.columns.filter(({ name }) => name === '_owned_by')
  const columns = [...writableColumns(entity), ...owner]
  const lists = [...entity.oneToMany.values()]
    .filter((list) => !getEntity(catalog, list.entity).isNative)
    .map(listColumn)
  const isSeen = (column: Column) => !access.hides(entity, column)
  const [record] = records
  if (record) {
    const { list, step, isReadable } = record
    const [{ column: link }] = list.way
    const through = isSeen(link) ? link.field.key : null
    const known = isReadable ? printedStep({ ...reader, entity: list.parent }, step) : null
    return columns.filter(isSeen).map(({ field: { key } }) => ({ key, through, step: known }))
  }
  if (!own) return []
  const step = printedStep(reader, own.step)
  return [...columns, ...lists]
    .filter((column) => isSeen(column) && locksField(own, column.field.key))
    .map(({ field: { key } }) => ({ key, through: null, step }))
}

const printedStep = ({ entity, access }: Reader, key: string) =>
  access.hides(entity, getStepColumn(entity))
    ? null
    : { key, name: findStep(getWorkflow(entity), key)?.name ?? key }
