/** The events that may happen to a record and the last one that did, as the service explains them. */
import type { NotificationRule } from '../../../src/definitions/notification-rules.ts'
import type { ExplainQuestion, NotifiedOperation } from '../../api/admin/explain.ts'
import type { Entity, HistoryEntry, WorkflowAction, WorkflowStep } from '../../api/types.ts'
import type { ExplainSearch } from '../session/explain-search.ts'

/** Something that may happen to a record. */
export type RecordEvent = {
  readonly operation: NotifiedOperation
  readonly action?: WorkflowAction
  /** The step that the action is open in. */
  readonly from?: WorkflowStep
}

/** What happens to every record, and is explained where a rule is about it. */
const onlyWithRules = ['change', 'remove', 'restore', 'date'] as const

/** Everything that a notification of the entity may be about; actions of one key are one. */
export const eventsOf = ({
  ownership,
  workflow,
  notifications = [],
}: Entity): readonly RecordEvent[] => {
  const actions = new Map<string, RecordEvent>()
  for (const from of workflow?.steps ?? [])
    for (const action of from.actions ?? [])
      if (!actions.has(action.key))
        actions.set(action.key, { operation: 'proceedToStep', action, from })
  return [
    { operation: 'create' },
    ...(ownership ? [{ operation: 'takeOwnership' } as const] : []),
    ...onlyWithRules
      .filter((operation) => notifications.some((rule) => rule.operation === operation))
      .map((operation) => ({ operation })),
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
  readonly operation: string
  readonly action?: string | undefined
}): string => (action === undefined ? operation : `${operation}:${action}`)

/** The last event of a record that may notify users, and who caused it. */
export const lastEventOf = (
  history: readonly HistoryEntry[],
  entity: Entity,
): Pick<ExplainSearch, 'operation' | 'action' | 'actor'> | undefined => {
  const events = eventsOf(entity)
  for (const { operation, action, user } of history) {
    const isEvent = events.some((one) => one.operation === operation)
    if (!isEvent || (operation === 'proceedToStep' && !action)) continue
    return {
      operation,
      ...(action && { action: action.key }),
      ...(user && { actor: user.id }),
    }
  }
  return undefined
}

/** The question about a record for the service; undefined as long as it says of nothing that may happen to the record. */
export const questionOf = (
  entity: Entity,
  entityId: number,
  search: ExplainSearch,
): ExplainQuestion | undefined => {
  const { action, actor, user } = search
  const event = eventsOf(entity).find(({ operation }) => operation === search.operation)
  if (!event || (event.action && action === undefined)) return undefined
  return {
    entityKey: entity.key,
    entityId,
    operation: event.operation,
    ...(action !== undefined && { action }),
    ...(actor !== undefined && { actorId: actor }),
    ...(user !== undefined && { userId: user }),
  }
}
