/** What is offered for the selected records: actions that are open in the step of at least one of them. */
import { useQuery } from '@tanstack/react-query'
import { type Group, groupsQuery } from '../../api/totals.ts'
import type { Criteria, Entity } from '../../api/types.ts'
import { settleMs } from '../totals/totalled.ts'
import { useDelayed } from '../values/use-delayed.ts'
import { type Operation, operationsOf } from './operations.ts'

type Fitting = {
  readonly count: number
  readonly total: number
  /** Whether there is a condition too, which may leave out some of them. */
  readonly isAtMost: boolean
}

/** An operation, and how many of the selected records are in a step that has it; undefined: not known. */
export type Offer = {
  readonly operation: Operation
  readonly fitting?: Fitting
}

/** Undefined until the steps are known; where they cannot be, the check says which records an action fits. */
export const useOperations = (
  entity: Entity,
  criteria: Pick<Criteria, '$where' | '$search'>,
  isEnabled: boolean,
): readonly Offer[] | undefined => {
  const operations = operationsOf(entity)
  const hasSteps =
    operations.some(({ kind }) => kind === 'action') &&
    entity.fields.some(({ column }) => column === '_step')
  const settled = useDelayed(JSON.stringify(criteria), settleMs)
  const steps = useQuery({
    ...groupsQuery({ entity: entity.key, criteria: JSON.parse(settled), path: undefined }, [
      '_step',
    ]),
    enabled: hasSteps && isEnabled,
  })
  if (hasSteps && steps.isPending) return undefined
  const known = hasSteps && !steps.error && steps.data?.groupsAreComplete ? steps.data.groups : null
  if (!known) return operations.map((operation) => ({ operation }))
  return operations.flatMap((operation) => offersOf(operation, entity, known))
}

/** None where no step of the records has the action. */
const offersOf = (
  operation: Operation,
  { workflow, permissions }: Entity,
  groups: readonly Group[],
): readonly Offer[] => {
  if (operation.kind !== 'action') return [{ operation }]
  const { key } = operation.action
  const having = new Set<unknown>(
    workflow?.steps
      .filter(({ actions }) => actions?.some((one) => one.key === key))
      .map((one) => one.key),
  )
  const total = sum(groups)
  const count = sum(groups.filter((group) => having.has(group.key._step)))
  const isAtMost = permissions.conditionalActions.includes(key)
  return count === 0 ? [] : [{ operation, fitting: { count, total, isAtMost } }]
}

const sum = (groups: readonly Group[]): number => groups.reduce((all, { count }) => all + count, 0)
