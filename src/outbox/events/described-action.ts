/** A workflow action with the names of the definitions. */
import type { Entity } from '../../definitions/catalog.ts'
import type { TakenAction } from '../../definitions/notification-rules.ts'
import type { FunctionAction } from '../../functions/function-context.ts'

/** The action of a change, with its name and the names of its steps; undefined if there was none. */
export const describeAction = (
  entity: Entity,
  { action }: { readonly action?: TakenAction | null | undefined },
): FunctionAction | undefined => {
  if (!action) return undefined
  const steps = entity.definition.workflow?.steps ?? []
  const nameOf = (key: string) => steps.find((step) => step.key === key)?.name ?? key
  const taken = steps
    .find((step) => step.key === action.from)
    ?.actions?.find(({ key }) => key === action.key)
  return {
    ...action,
    name: taken?.name ?? action.key,
    from_name: nameOf(action.from),
    to_name: nameOf(action.to),
  }
}
