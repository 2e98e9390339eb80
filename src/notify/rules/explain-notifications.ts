/** Explains whom an operation would notify, and why or why not; nothing is sent or stored. */

import { type Pool, queryRow } from '../../database/pool.ts'
import { int, notDeleted, sql, table } from '../../database/sql.ts'
import { type Entity, getEntity } from '../../definitions/catalog.ts'
import {
  matchRules,
  sendsNotifications,
  type TakenAction,
} from '../../definitions/notification-matching.ts'
import type { NotifiedOperation } from '../../definitions/operations.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { type ApiError, validationError } from '../../errors.ts'
import { unknownRecord } from '../../records/read-records.ts'
import type { ChangeMessage } from '../../records/write/change-events.ts'
import { findTarget, type StandingRecord } from '../../workflow/action-kinds.ts'
import { actionKeys } from '../../workflow/workflow.ts'
import { type EngineDeps, evaluateRules } from './evaluate-rules.ts'
import { type AskedRecipients, explainRecipients } from './explain-recipients.ts'
import { imagineChange } from './imagined-change.ts'
import { rowsAfter } from './preview/preview-store.ts'

export type ExplainRequest = AskedRecipients & {
  readonly entityKey: string
  readonly operation: NotifiedOperation
  /** Key of the action; only with `proceedToStep`. */
  readonly action: string | undefined
  readonly actorId: number
}

/** Every rule of the definition, with its effect. */
export const explainNotifications = async (deps: EngineDeps, asked: ExplainRequest) => {
  const entity = getEntity(deps.catalog, asked.entityKey)
  const message = await imagine(deps, entity, asked)
  const source = rowAfter(entity, message)
  const matched = new Set(
    matchRules(entity.definition, asked.operation, message.action ?? undefined).map(
      ({ index }) => index,
    ),
  )
  const entries = []
  for (const [index, rule] of (entity.definition.notifications ?? []).entries()) {
    const head = { index, operation: rule.operation, action: rule.action ?? null }
    const [match] = matched.has(index)
      ? await evaluateRules(deps, entity, rule, [message], source)
      : []
    if (!matched.has(index))
      entries.push({ ...head, matches: false, reason: 'another operation or action' })
    else if (!match) entries.push({ ...head, matches: false, reason: 'its condition is not met' })
    else
      entries.push({
        ...head,
        matches: true,
        ...(await explainRecipients(deps, match, asked)),
      })
  }
  return { isActive: sendsNotifications(entity.definition), entries }
}

/** The record with the step that an action would give it. */
const rowAfter = (entity: Entity, { entity_id: id, actor_id, action }: ChangeMessage) =>
  action
    ? rowsAfter(entity, [{ id, values: { _step: action.to, _updated_by: actor_id } }])
    : undefined

/** The message that the operation would write if the caller did it now. */
const imagine = async (
  { pool }: EngineDeps,
  entity: Entity,
  { entityId, operation, action, actorId }: ExplainRequest,
): Promise<ChangeMessage> => {
  const step = entity.hasWorkflow ? sql`t._step` : sql`NULL`
  const select = sql`
    SELECT ${step} AS step
    FROM ${table(entity)} t
    WHERE t.id = ${int(entityId)} AND ${notDeleted('t')}`
  const record = await queryRow<{ step: string | null }>(pool, select)
  if (!record) throw unknownRecord(entity, entityId)
  const standing = { id: entityId, step: record.step ?? '' }
  return imagineChange({
    entity_key: entity.key,
    entity_id: entityId,
    operation,
    action:
      operation === 'proceedToStep' ? await findAction(pool, entity, standing, action ?? '') : null,
    actor_id: actorId,
  })
}

/** The action of a key, from the record's step if it is open there. */
const findAction = async (
  pool: Pool,
  entity: Entity,
  { id, step }: StandingRecord,
  key: string,
): Promise<TakenAction> => {
  const actions = (entity.definition.workflow?.steps ?? []).flatMap((from) =>
    (from.actions ?? []).map((action) => ({ ...action, action, from: from.key })),
  )
  const named = actions.filter((action) => action.key === key)
  const found = named.find(({ from }) => from === step) ?? named[0]
  if (found) {
    const { kind, form, from, action } = found
    // If it leads nowhere now, the record stays in its step.
    const to = (await findTarget(pool, entity, { id, step: from }, action)) ?? from
    return { key, kind, form, from, to }
  }
  throw unknownAction(entity, key)
}

/** The error of a key that no action of the entity has. */
export const unknownAction = (entity: Entity, key: string): ApiError => {
  const { workflow } = entity.definition
  const near = didYouMean(key, workflow ? actionKeys(workflow) : [])
  const message = `is not an action of ${entity.key}${near}`
  return validationError('request.invalid', [{ path: 'action', message }])
}
