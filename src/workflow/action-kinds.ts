/** The behaviour of actions: one row per kind, with the step that they lead to. */
import type { Queryable } from '../database/pool.ts'
import type { ActionKind } from '../definitions/action-kinds.ts'
import type { Entity } from '../definitions/catalog.ts'
import type { Decider } from '../query/conditions/decide-conditions.ts'
import { findUnmetActions } from './action-conditions.ts'
import { findStepsBefore, type StandingRecord } from './step-store.ts'
import { type Action, findStepNow, getWorkflow, namesOfStep } from './workflow.ts'

/** Key of the step that an action leads to now; undefined if it leads nowhere, so it is not open. */
type TargetOf = (record: StandingRecord, action: Action) => string | undefined

/** Reads what the targets of some records depend on; at most one statement. */
type FindTargets = (
  database: Queryable,
  entity: Entity,
  records: readonly StandingRecord[],
) => Promise<TargetOf>

const findNamedSteps: FindTargets = async () => (_record, action) => action.to

// If that step was removed from the workflow, the record cannot go back there.
const findEarlierSteps: FindTargets = async (database, entity, records) => {
  const workflow = getWorkflow(entity)
  const reached = records.map(({ id, step }) => ({ id, names: namesOfStep(workflow, step) }))
  const earlier = await findStepsBefore(database, entity, reached)
  return ({ id }) => findStepNow(workflow, earlier.get(id) ?? '')?.key
}

const targets: Readonly<Record<ActionKind, FindTargets>> = {
  proceedToStep: findNamedSteps,
  approveWorkflow: findNamedSteps,
  rejectWorkflow: findNamedSteps,
  returnToStep: findEarlierSteps,
}

/** The step that an action on one record leads to. */
export const findTarget = async (
  database: Queryable,
  entity: Entity,
  record: StandingRecord,
  action: Action,
): Promise<string | undefined> =>
  (await targets[action.kind](database, entity, [record]))(record, action)

/** An action that is open for a record, with the step that it leads to. */
export type OpenAction = { readonly action: Action; readonly to: string }

type OpenActions = {
  readonly open: readonly OpenAction[]
  /** Those that would be open if their condition held for the caller. */
  readonly unmet: readonly OpenAction[]
}

/** A record with actions of its step; it is locked if it is read for an action. */
export type Candidate = StandingRecord & { readonly actions: readonly Action[] }

/** By id, which of its actions are open to the caller; the number of statements is that of one record. */
export const findOpenActions = async (
  database: Queryable,
  decider: Decider,
  entity: Entity,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<number, OpenActions>> => {
  const actions = [...new Set(candidates.flatMap((one) => one.actions))]
  const records = { entity, ids: candidates.map(({ id }) => id) }
  const closed = await findUnmetActions(database, decider, records, actions)
  const targetOf = await findTargets(database, entity, candidates)
  const openActionsOf = (candidate: Candidate): OpenActions => {
    const all = candidate.actions.flatMap((action) => {
      const to = targetOf(candidate, action)
      return to === undefined ? [] : [{ action, to }]
    })
    const isUnmet = ({ action }: OpenAction) => closed.get(candidate.id)?.has(action) === true
    return { open: all.filter((one) => !isUnmet(one)), unmet: all.filter(isUnmet) }
  }
  return new Map(candidates.map((candidate) => [candidate.id, openActionsOf(candidate)]))
}

const findTargets = async (
  database: Queryable,
  entity: Entity,
  candidates: readonly Candidate[],
): Promise<TargetOf> => {
  const byKind = new Map<ActionKind, TargetOf>()
  for (const kind of new Set(
    candidates.flatMap((one) => one.actions.map((action) => action.kind)),
  )) {
    const concerned = candidates.filter((one) => one.actions.some((action) => action.kind === kind))
    byKind.set(kind, await targets[kind](database, entity, concerned))
  }
  return (record, action) => byKind.get(action.kind)?.(record, action)
}
