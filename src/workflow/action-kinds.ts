/** The behaviour of actions: one row per kind, with the step that they lead to. */
import type { Queryable } from '../database/pool.ts'
import type { ActionKind } from '../definitions/action-kinds.ts'
import type { Entity } from '../definitions/catalog.ts'
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

/** The actions that are open for a record. */
export const findOpenActions = async (
  database: Queryable,
  record: StandingRecord,
  actions: readonly Action[],
): Promise<readonly OpenAction[]> => {
  const open: OpenAction[] = []
  for (const action of actions) {
    const to = await findTarget(database, record, action)
    if (to !== undefined) open.push({ action, to })
  }
  return open
}
