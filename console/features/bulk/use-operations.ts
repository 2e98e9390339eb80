/** What is offered for the selected records: actions that are open for at least one of them. */
import { useQuery } from '@tanstack/react-query'
import { actionsOfManyQuery, mostAsked } from '../../api/records/actions-of-many.ts'
import { type Group, groupsQuery } from '../../api/totals.ts'
import type { Criteria, Entity } from '../../api/types.ts'
import type { Selection } from '../grid/selection.ts'
import { settleMs } from '../grid/unit-sums.tsx'
import { useDelayed } from '../values/use-delayed.ts'
import { type Operation, operationsOf } from './operations.ts'

type Fitting = {
  readonly count: number
  readonly total: number
  /** Whether there is a condition too, of which it is not known for which of them it holds. */
  readonly isAtMost: boolean
}

/** An operation, and for how many of the selected records it is open; undefined: not known. */
export type Offer = {
  readonly operation: Operation
  readonly fitting?: Fitting
}

type Selected = {
  readonly selection: Selection
  readonly criteria: Pick<Criteria, '$where' | '$search'>
}

/** What is asked of the service. */
type Asked = { readonly criteria: Selected['criteria']; readonly ids: readonly number[] }

/**
 * Undefined until the steps are known; where they cannot be, the check says which records an action fits. Of up to a hundred
 * records the service is asked for the open actions too, if a step does not decide alone.
 */
export const useOperations = (
  entity: Entity,
  { selection, criteria }: Selected,
  isEnabled: boolean,
): readonly Offer[] | undefined => {
  const operations = operationsOf(entity)
  const hasSteps =
    operations.some(({ kind }) => kind === 'action') &&
    entity.fields.some(({ column }) => column === '_step')
  const ids = selection.kind === 'some' && selection.ids.size <= mostAsked ? selection.ids : []
  const now: Asked = { criteria, ids: [...ids].sort((one, other) => one - other) }
  const settled: Asked = JSON.parse(useDelayed(JSON.stringify(now), settleMs))
  const steps = useQuery({
    ...groupsQuery({ entity: entity.key, criteria: settled.criteria, path: undefined }, ['_step']),
    enabled: hasSteps && isEnabled,
  })
  const isDecided = operations.every((operation) => !isUndecided(operation, entity))
  const open = useQuery({
    ...actionsOfManyQuery(entity.key, settled.ids),
    enabled: hasSteps && isEnabled && !isDecided && settled.ids.length > 0,
  })
  if (hasSteps && steps.isPending) return undefined
  const known = hasSteps && !steps.error && steps.data?.groupsAreComplete ? steps.data.groups : null
  if (!known) return operations.map((operation) => ({ operation }))
  // Numbers of two selections do not belong together.
  const exact = steps.isPlaceholderData ? undefined : open.data
  return operations.flatMap((operation) => offersOf(operation, entity, known, exact))
}

/** Whether more than the step of a record decides if an action is open for it. */
const isUndecided = (operation: Operation, entity: Entity): boolean =>
  operation.kind === 'action' &&
  (operation.action.kind === 'returnToStep' || isConditional(operation.action.key, entity))

const isConditional = (key: string, { permissions }: Entity): boolean =>
  permissions.conditionalActions.includes(key)

/** None where the action is open for no record, as far as it is known. */
const offersOf = (
  operation: Operation,
  entity: Entity,
  groups: readonly Group[],
  open: ReadonlyMap<string, number> | undefined,
): readonly Offer[] => {
  if (operation.kind !== 'action') return [{ operation }]
  const { key } = operation.action
  const total = sum(groups)
  const isAtMost = !open && isConditional(key, entity)
  const count = open ? (open.get(key) ?? 0) : countInSteps(key, entity, groups)
  return count === 0 ? [] : [{ operation, fitting: { count, total, isAtMost } }]
}

/** How many of the records are in a step that has the action. */
const countInSteps = (key: string, { workflow }: Entity, groups: readonly Group[]): number => {
  const having = new Set<unknown>(
    workflow?.steps
      .filter(({ actions }) => actions?.some((one) => one.key === key))
      .map((one) => one.key),
  )
  return sum(groups.filter((group) => having.has(group.key._step)))
}

const sum = (groups: readonly Group[]): number => groups.reduce((all, { count }) => all + count, 0)
