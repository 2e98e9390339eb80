/** What the page explains, as its address says it: a record, what happens to it, by whom, and who is asked for. */

import type { NotificationRule } from '../../../src/definitions/notification-matching.ts'
import type { ExplainQuestion, NotifiedOperation } from '../../api/admin/explain.ts'
import type { Entity, HistoryEntry, WorkflowAction, WorkflowStep } from '../../api/types.ts'

export type ExplainSearch = {
  readonly entity?: string
  readonly record?: number
  readonly operation?: NotifiedOperation
  readonly action?: string
  /** Who does it. */
  readonly actor?: number
  /** Who is asked for. */
  readonly user?: number
}

const operations = [
  'create',
  'takeOwnership',
  'proceedToStep',
] as const satisfies readonly NotifiedOperation[]

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const asId = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined

/** Reads an address that anybody may have written; what is of no use is left out. */
export const parseExplainSearch = (search: Readonly<Record<string, unknown>>): ExplainSearch => {
  const entity = asText(search.entity)
  const record = asId(search.record)
  const operation = operations.find((one) => one === search.operation)
  const action = asText(search.action)
  const [actor, user] = [asId(search.actor), asId(search.user)]
  return {
    ...(entity !== undefined && { entity }),
    ...(record !== undefined && { record }),
    ...(operation && { operation }),
    ...(operation === 'proceedToStep' && action !== undefined && { action }),
    ...(actor !== undefined && { actor }),
    ...(user !== undefined && { user }),
  }
}

/** Something that may happen to a record. */
export type RecordEvent = {
  readonly operation: NotifiedOperation
  readonly action?: WorkflowAction
  /** The step that the action is open in. */
  readonly from?: WorkflowStep
}

/** Everything that a notification of the entity may be about; actions of one key are one. */
export const eventsOf = ({ ownership, workflow }: Entity): readonly RecordEvent[] => {
  const actions = new Map<string, RecordEvent>()
  for (const from of workflow?.steps ?? [])
    for (const action of from.actions ?? [])
      if (!actions.has(action.key))
        actions.set(action.key, { operation: 'proceedToStep', action, from })
  return [
    { operation: 'create' },
    ...(ownership ? [{ operation: 'takeOwnership' } as const] : []),
    ...actions.values(),
  ]
}

/** The entry that a delivery is sent for, as far as the definition still has it. */
export const ruleOf = (
  { entry, operation }: { readonly entry: string; readonly operation: string },
  { notifications = [] }: Entity,
): NotificationRule | undefined => {
  const rule = notifications[Number(entry)]
  return rule?.operation === operation ? rule : undefined
}

/** The first thing that may happen to a record which an entry of its notifications is about. */
export const eventOfRule = (
  rule: NotificationRule,
  entity: Entity,
): Pick<ExplainSearch, 'operation' | 'action'> => {
  const { operation, action: named } = rule
  if (operation !== 'proceedToStep') return { operation }
  const found = eventsOf(entity).find(({ action, from }) => {
    if (!action) return false
    const { key, kind, form, to } = action
    return named === undefined || [key, kind, form, `${from?.key}-${to}`].includes(named)
  })
  return found?.action ? { operation, action: found.action.key } : {}
}

export const eventKey = ({
  operation,
  action,
}: {
  readonly operation: NotifiedOperation
  readonly action?: string | undefined
}): string => (action === undefined ? operation : `${operation}:${action}`)

/** What happened last to a record of which users may be told, and who did it. */
export const lastEventOf = (
  history: readonly HistoryEntry[],
): Pick<ExplainSearch, 'operation' | 'action' | 'actor'> | undefined => {
  for (const { operation: name, action, user } of history) {
    const operation = operations.find((one) => one === name)
    if (!operation || (operation === 'proceedToStep' && !action)) continue
    return {
      operation,
      ...(action && { action: action.key }),
      ...(user && { actor: user.id }),
    }
  }
  return undefined
}

/** The question for the service; undefined as long as something is missing. */
export const questionOf = (search: ExplainSearch): ExplainQuestion | undefined => {
  const { entity, record, operation, action, actor, user } = search
  if (entity === undefined || record === undefined || operation === undefined) return undefined
  if (operation === 'proceedToStep' && action === undefined) return undefined
  return {
    ...{ entityKey: entity, entityId: record, operation },
    ...(action !== undefined && { action }),
    ...(actor !== undefined && { actorId: actor }),
    ...(user !== undefined && { userId: user }),
  }
}
