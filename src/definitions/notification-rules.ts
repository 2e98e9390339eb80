/** Which notification rules of a definition apply to a change (docs/notifications.md). */
import type { ActionKind } from './action-kinds.ts'
import { changingOperations, type NotifiedOperation } from './operations.ts'
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

/** What else is known of an event; without it every rule applies that may. */
export type KnownEvent = {
  /** Keys of the fields that differ. */
  readonly changed?: readonly string[] | undefined
  /** Whether the date that is due is the one of a rule. */
  readonly isDue?: ((rule: NotificationRule) => boolean) | undefined
}

/** Every rule of an operation; an action is meant by its kind, key, form or `<from>-<to>`. */
export const matchRules = (
  { notifications = [] }: EntityDefinition,
  operation: string,
  action: TakenAction | undefined,
  { changed, isDue }: KnownEvent = {},
): readonly MatchedRule[] => {
  const names = action && [action.kind, action.key, action.form, `${action.from}-${action.to}`]
  const applies = (rule: NotificationRule): boolean => {
    if (rule.operation === 'change') return isChanging(operation) && isAbout(rule, changed)
    if (rule.operation !== operation) return false
    if (rule.operation === 'date') return isDue?.(rule) ?? true
    return rule.action === undefined || names?.includes(rule.action) === true
  }
  return [...notifications.entries()]
    .map(([index, rule]) => ({ index, rule }))
    .filter(({ rule }) => applies(rule))
}

const isChanging = (operation: string): boolean =>
  changingOperations.some((one) => one === operation)

/** Without `fields`, any field of the definition; the step and the owner, which have operations of their own, only if it names them. */
const isAbout = ({ fields }: NotificationRule, changed: readonly string[] | undefined): boolean =>
  changed?.some((key) => (fields ? fields.includes(key) : !key.startsWith('_'))) ?? true

/** The operations that a rule applies to. */
export const operationsOf = ({ operation }: NotificationRule): readonly NotifiedOperation[] =>
  operation === 'change' ? changingOperations : [operation]
