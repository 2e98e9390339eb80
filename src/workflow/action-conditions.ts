/** Conditions of actions: on the record, and on values of whoever wants to take the action. */
import type { Queryable } from '../database/pool.ts'
import type { Sql } from '../database/sql.ts'
import type { Entity } from '../definitions/catalog.ts'
import { type ApiError, apiError } from '../errors.ts'
import {
  type ComparedPaths,
  comparedPaths,
  printCompared,
  type Reader,
  withMessage,
} from '../query/conditions/compared-paths.ts'
import {
  type Conditional,
  type DecidedConditions,
  type Decider,
  decideConditions,
  findUnmetOfEach,
  parsedCondition,
} from '../query/conditions/decide-conditions.ts'
import type { Action } from './workflow.ts'

/** The conditions of some actions for the user of an id; actions without a condition are left out. */
export const decideActions = (
  deps: Pick<Decider, 'catalog' | 'timeZone'>,
  user: Sql,
  entity: Entity,
  actions: readonly Action[],
): DecidedConditions<Action> => decideConditions(deps, user, entity, conditionsOf(actions))

/** For each of the records the actions whose condition does not hold for it. */
export const findUnmetActions = (
  database: Queryable,
  decider: Decider,
  records: { readonly entity: Entity; readonly ids: readonly number[] },
  actions: readonly Action[],
): Promise<ReadonlyMap<number, ReadonlySet<Action>>> =>
  findUnmetOfEach(database, decider, records, conditionsOf(actions))

const conditionsOf = (actions: readonly Action[]): Conditional<Action> =>
  new Map(
    actions.flatMap((action) => {
      const { condition } = action
      return condition ? [[action, parsedCondition(condition)] as const] : []
    }),
  )

/** What its condition compares; an action without one compares nothing. */
export const comparedBy = (reader: Reader, { condition }: Action): ComparedPaths =>
  condition ? comparedPaths(reader, parsedCondition(condition)) : { fields: [], callerFields: [] }

/** 409, for a record in whose step the action would be open. */
export const unmetCondition = (reader: Reader, id: number, action: Action): ApiError => {
  const on = printCompared(comparedBy(reader, action))
  return apiError(
    'workflow.condition-not-met',
    withMessage(
      `The action "${action.key}" is not open to you for ${reader.entity.key} ${id}: its condition${on} does not hold.`,
      action.message,
    ),
  )
}
