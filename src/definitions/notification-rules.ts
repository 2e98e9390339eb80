/** Which notification rules of a definition apply to a change (docs/notifications.md). */

import type { ActionKind } from './action-kinds.ts'
import type { EntityDefinition } from './schemas/entity-definition.ts'

/** The hook that runs the notifications of a definition. */
export const notificationHook = '_sendNotificationHandler'

/** Whether the rules of a definition are applied: it has the hook. */
export const sendsNotifications = ({ hooks = [] }: EntityDefinition): boolean =>
  hooks.some(({ functionName }) => functionName === notificationHook)

export type NotificationRule = NonNullable<EntityDefinition['notifications']>[number]

/** The workflow action that was taken, as notification rules refer to it. */
export type TakenAction = {
  readonly key: string
  readonly kind: ActionKind
  readonly form: string | undefined
  /** Keys of the steps that the record left and reached. */
  readonly from: string
  readonly to: string
}

export type MatchedRule = {
  /** Its index in the array, which identifies it. */
  readonly index: number
  readonly rule: NotificationRule
}

/** Every rule of an operation; an action is meant by its kind, key, form or `<from>-<to>`. */
export const matchRules = (
  { notifications = [] }: EntityDefinition,
  operation: string,
  action: TakenAction | undefined,
): readonly MatchedRule[] => {
  const names = action && [action.kind, action.key, action.form, `${action.from}-${action.to}`]
  return [...notifications.entries()]
    .map(([index, rule]) => ({ index, rule }))
    .filter(({ rule }) => rule.operation === operation)
    .filter(({ rule }) => rule.action === undefined || names?.includes(rule.action) === true)
}
