/** Which notification entries of a definition a change calls for (interface, "Events"). */

import type { WorkflowActionKind } from './operations.ts'
import type { EntityDefinition } from './schemas/entity-definition.ts'

/** The hook that makes the notifications of a definition work. */
export const notificationHook = '_sendNotificationHandler'

/** One entry of a definition's `notifications`. */
export type NotificationEntry = NonNullable<EntityDefinition['notifications']>[number]

/** The action of a workflow that was taken, as notifications refer to it. */
export type TakenAction = {
  readonly key: string
  readonly kind: WorkflowActionKind
  readonly form: string | undefined
  /** Keys of the steps that the record left and reached. */
  readonly from: string
  readonly to: string
}

export type MatchedEntry = {
  /** Its place in the array, by which it is told apart from the others. */
  readonly index: number
  readonly entry: NotificationEntry
}

/** Every entry of an operation; an action is meant by its kind, key, form or `<from>-<to>`. */
export const matchEntries = (
  { notifications = [] }: EntityDefinition,
  operation: string,
  action: TakenAction | undefined,
): readonly MatchedEntry[] => {
  const names = action && [action.kind, action.key, action.form, `${action.from}-${action.to}`]
  return [...notifications.entries()]
    .map(([index, entry]) => ({ index, entry }))
    .filter(({ entry }) => entry.operation === operation)
    .filter(({ entry }) => entry.action === undefined || names?.includes(entry.action) === true)
}
