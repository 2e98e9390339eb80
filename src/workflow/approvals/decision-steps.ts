/** The steps of all workflows in which a caller may approve or reject; they follow from definitions and role. */
import type { Person } from '../../auth/caller.ts'
import { isHidden, type Permissions } from '../../auth/permissions.ts'
import { int } from '../../database/sql.ts'
import { actionKindNames, actionKinds } from '../../definitions/action-kinds.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { validationError } from '../../errors.ts'
import { shorten } from '../../issues.ts'
import type { RecordScope } from '../../query/access.ts'
import type { DecidedConditions } from '../../query/conditions/decide-conditions.ts'
import { decideActions } from '../action-conditions.ts'
import { type Action, getStepColumn, getWorkflow, mayTake, type Step } from '../workflow.ts'

/** A step with the actions that decide on its records and that the caller may take. */
type DecisionStep = { readonly step: Step; readonly actions: readonly Action[] }

/** An entity whose records may wait for the caller. */
export type Queue = {
  readonly entity: Entity
  /** The records that may be read. */
  readonly scope: RecordScope
  readonly isHidden: (column: Column) => boolean
  readonly steps: readonly DecisionStep[]
}

/** A queue with the conditions of its actions for the caller. */
export type DecidedQueue = Queue & { readonly conditions: DecidedConditions<Action> }

type QueueDeps = { readonly catalog: Catalog; readonly permissions: Permissions }

/** Which of them are asked for; undefined: all. */
export type Wanted = {
  readonly entity: string | undefined
  /** The key or the kind of an action. */
  readonly action: string | undefined
}

/** The queues of a caller with the conditions of their actions, of which some may hold for no record. */
export const decidedQueuesOf = (
  deps: QueueDeps & { readonly timeZone: string },
  caller: Person,
  wanted: Wanted,
): readonly DecidedQueue[] =>
  wantedQueues(deps, caller, wanted).map((queue) => {
    const actions = queue.steps.flatMap((step) => step.actions)
    return { ...queue, conditions: decideActions(deps, int(caller.userId), queue.entity, actions) }
  })

/** An error for an entity or an action that the caller has nothing to decide by. */
const wantedQueues = (deps: QueueDeps, caller: Person, { entity, action }: Wanted) => {
  const key = entity === undefined ? undefined : deps.permissions.entityFor(caller, entity).key
  const queues = queuesOf(deps, caller).filter((one) => key === undefined || one.entity.key === key)
  if (action === undefined) return queues
  const own = queues.flatMap(({ steps }) => steps.flatMap(({ actions }) => actions))
  const names = new Set([...decisionKinds, ...own.map((one) => one.key)])
  if (!names.has(action))
    throw validationError('request.invalid', [
      {
        path: 'action',
        message: `${JSON.stringify(shorten(action, 40))} is not an action that you decide by${didYouMean(action, names)}`,
      },
    ])
  const isWanted = (one: Action) => one.key === action || one.kind === action
  return queues
    .map((queue) => ({ ...queue, steps: stepsWith(queue.steps, isWanted) }))
    .filter(({ steps }) => steps.length > 0)
}

const decisionKinds = actionKindNames.filter((kind) => actionKinds[kind].isDecision)

const stepsWith = (
  steps: readonly DecisionStep[],
  isWanted: (action: Action) => boolean,
): readonly DecisionStep[] =>
  steps
    .map((one) => ({ ...one, actions: one.actions.filter(isWanted) }))
    .filter(({ actions }) => actions.length > 0)

/**
 * The queues of a caller. An entity whose steps the role hides has none: that a record is in the list would
 * tell its step.
 */
export const queuesOf = ({ catalog, permissions }: QueueDeps, caller: Person): readonly Queue[] =>
  [...catalog.entities.values()].flatMap((entity) => {
    const scope = permissions.scopeOf(caller, 'read', entity)
    if (!entity.hasWorkflow || scope === 'none') return []
    const rights = permissions.rightsOf(caller, entity)
    const isHiddenHere = (column: Column) => isHidden(rights, column)
    if (isHiddenHere(getStepColumn(entity))) return []
    const mayDecide = (action: Action) =>
      actionKinds[action.kind].isDecision === true && mayTake(entity, rights, action)
    const all = getWorkflow(entity).steps.map((step) => ({ step, actions: step.actions ?? [] }))
    const steps = stepsWith(all, mayDecide)
    return steps.length === 0 ? [] : [{ entity, scope, isHidden: isHiddenHere, steps }]
  })
