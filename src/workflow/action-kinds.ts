/** The behaviour of actions: one row per kind, with the step that they lead to; and the steps of a record. */
import { type Queryable, queryRow, queryRows } from '../database/pool.ts'
import {
  allOf,
  bound,
  identifier,
  int,
  ints,
  join,
  notDeleted,
  raw,
  sql,
  table,
  text,
} from '../database/sql.ts'
import type { ActionKind } from '../definitions/action-kinds.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { RecordScope } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import type { Decider } from '../query/conditions/decide-conditions.ts'
import { type Demand, findUnmetDemands } from './demands.ts'
import { type Action, findStepNow, getWorkflow, namesOfStep } from './workflow.ts'

/** A record with the key of its step, which is empty without a workflow. */
export type StandingRecord = { readonly id: number; readonly step: string }

/** The records of these ids that every scope covers. */
export const findStanding = (
  database: Queryable,
  entity: Entity,
  ids: readonly number[],
  scopes: readonly RecordScope[],
): Promise<StandingRecord[]> =>
  queryRows<StandingRecord>(
    database,
    sql`
    SELECT t.id, ${entity.hasWorkflow ? sql`t._step` : sql`''`} AS step
    FROM ${table(entity)} t
    WHERE t.id = ANY (${ints(ids)}) AND ${notDeleted('t')}
      AND ${allOf(scopes.map((scope) => compileScope(scope, entity.hasOwner, 't')))}
    ORDER BY t.id`,
  )

/** The current step of a record; undefined if there is no such record. */
export const findStepKey = async (
  database: Queryable,
  entity: Entity,
  id: number,
): Promise<string | undefined> => (await findStanding(database, entity, [id], []))[0]?.step

type ReachedStep = {
  readonly id: number
  /** The keys of the step of the record, now and before. */
  readonly names: readonly string[]
}

/**
 * By id, the step that a record left for its current step, with its key at that time; going back does not count. A record
 * that came from nowhere is left out.
 */
const findStepsBefore = async (
  database: Queryable,
  entity: Entity,
  records: readonly ReachedStep[],
): Promise<ReadonlyMap<number, string>> => {
  const names = records.map((record) => JSON.stringify(record.names))
  const select = sql`
    SELECT r.id, h.step
    FROM unnest(${ints(records.map(({ id }) => id))}, ${bound(names, 'jsonb[]')}) AS r (id, names)
    CROSS JOIN LATERAL (
      SELECT h.action->>'from' AS step
      FROM docket.history h
      WHERE h.entity_key = ${text(entity.key)} AND h.entity_id = r.id
        AND h.operation = 'proceedToStep' AND h.action->>'kind' <> 'returnToStep'
        AND r.names @> to_jsonb(h.action->>'to')
        AND NOT r.names @> to_jsonb(h.action->>'from')
      ORDER BY h.id DESC
      LIMIT 1
    ) h`
  const rows = await queryRows<{ id: number; step: string }>(database, select)
  return new Map(rows.map(({ id, step }) => [id, step]))
}

/** Those of the columns that are null or an empty text. */
export const listEmptyColumns = async (
  database: Queryable,
  entity: Entity,
  id: number,
  columns: readonly Column[],
): Promise<readonly Column[]> => {
  if (columns.length === 0) return []
  const empty = columns.map(({ name, type }, index) => {
    const cell = `t.${identifier(name)}`
    return raw(
      type.cast === 'text'
        ? `coalesce(${cell},'') = '' AS c${index}`
        : `${cell} IS NULL AS c${index}`,
    )
  })
  const select = sql`SELECT ${join(empty, ', ')} FROM ${table(entity)} t WHERE t.id = ${int(id)}`
  const row = await queryRow<Record<string, boolean>>(database, select)
  return columns.filter((_, index) => row?.[`c${index}`])
}

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
  /** Those that would be open if these demands were met. */
  readonly unmet: readonly (OpenAction & { readonly demands: readonly Demand[] })[]
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
  const closed = await findUnmetDemands(database, decider, records, actions)
  const targetOf = await findTargets(database, entity, candidates)
  const openActionsOf = (candidate: Candidate): OpenActions => {
    const all = candidate.actions.flatMap((action) => {
      const to = targetOf(candidate, action)
      return to === undefined ? [] : [{ action, to }]
    })
    const demands = [...(closed.get(candidate.id) ?? [])]
    const decided = all.map((one) => ({
      ...one,
      demands: demands.filter(({ action }) => action === one.action),
    }))
    return {
      open: all.filter((_, at) => decided[at]?.demands.length === 0),
      unmet: decided.filter((one) => one.demands.length > 0),
    }
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
