/** The ways between the steps of a workflow. */
import type { WorkflowAction, WorkflowStep } from '../../api/types.ts'
import { nameOfKey } from '../format/format-value.ts'

export type StepLink = { readonly from: string; readonly to: string; readonly label: string }

/** Keys of the steps that an action may lead to; without a named one those that lead here. */
export const targetsOf = (
  { to }: WorkflowAction,
  from: string,
  steps: readonly WorkflowStep[],
): readonly string[] => {
  if (to !== undefined) return [to]
  return steps
    .filter(({ key, actions = [] }) => key !== from && actions.some((one) => one.to === from))
    .map(({ key }) => key)
}

export const actionLabel = ({ key, name }: WorkflowAction): string => name ?? nameOfKey(key)

/** One link for all actions between two steps. */
export const linksOf = (steps: readonly WorkflowStep[]): readonly StepLink[] => {
  const ways = steps.flatMap((from) =>
    (from.actions ?? []).flatMap((action) =>
      targetsOf(action, from.key, steps).map((to) => ({
        from: from.key,
        to,
        label: actionLabel(action),
      })),
    ),
  )
  const byPlaces = Map.groupBy(ways, ({ from, to }) => `${from} ${to}`)
  return [...byPlaces.values()].flatMap((all) =>
    all[0] ? [{ ...all[0], label: [...new Set(all.map(({ label }) => label))].join(', ') }] : [],
  )
}
