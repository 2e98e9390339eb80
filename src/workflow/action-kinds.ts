/** The behaviour of actions: one row per kind, with the step that they lead to. */
import type { Queryable } from '../database/pool.ts'
import type { ActionKind } from '../definitions/action-kinds.ts'
import type { Entity } from '../definitions/catalog.ts'
import type { Decider } from '../query/conditions/decide-conditions.ts'
import { findUnmetActions } from './action-conditions.ts'
import { findStepBefore } from './step-store.ts'
import { type Action, findStepNow, getWorkflow, namesOfStep } from './workflow.ts'

/** A record in its step; it is locked if it is read for an action. */
export type StandingRecord = {
  readonly entity: Entity
  readonly id: number
  /** Key of its step. */
  readonly step: string
}

type FindTarget = (
  database: Queryable,
  record: StandingRecord,
  action: Action,
) => Promise<string | undefined>

const findNamedStep: FindTarget = async (_database, _record, { to }) => to

// If that step was removed from the workflow, the record cannot go back there.
const findEarlierStep: FindTarget = async (database, { entity, id, step }) => {
  const workflow = getWorkflow(entity)
  const earlier = await findStepBefore(database, { entity, id, names: namesOfStep(workflow, step) })
  return earlier === undefined ? undefined : findStepNow(workflow, earlier)?.key
}

const targets: Readonly<Record<ActionKind, FindTarget>> = {
  proceedToStep: findNamedStep,
  approveWorkflow: findNamedStep,
  rejectWorkflow: findNamedStep,
  returnToStep: findEarlierStep,
}

/** Key of the step that an action leads to now; undefined if it leads nowhere, so it is not open. */
export const findTarget: FindTarget = (database, record, action) =>
  targets[action.kind](database, record, action)

/** An action that is open for a record, with the step that it leads to. */
export type OpenAction = { readonly action: Action; readonly to: string }

type OpenActions = {
  readonly open: readonly OpenAction[]
  /** Those that would be open if their condition held for the caller. */
  readonly unmet: readonly OpenAction[]
}

/** Which of the actions are open to the caller for a record. */
export const findOpenActions = async (
  database: Queryable,
  decider: Decider,
  record: StandingRecord,
  actions: readonly Action[],
): Promise<OpenActions> => {
  const closed = await findUnmetActions(database, decider, record, actions)
  const open: OpenAction[] = []
  const unmet: OpenAction[] = []
  for (const action of actions) {
    const to = await findTarget(database, record, action)
    if (to !== undefined) (closed.has(action) ? unmet : open).push({ action, to })
  }
  return { open, unmet }
}
