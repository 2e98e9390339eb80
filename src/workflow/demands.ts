/** What actions demand of the record and of their caller: conditions, and that the caller is none of those whom `notBy` names. */
import type { Queryable } from '../database/pool.ts'
import { allOf, anyOf, int, join, ref, type Sql, sql, text, texts } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import { type ApiError, apiError } from '../errors.ts'
import {
  type ComparedPaths,
  comparedPaths,
  printCompared,
  type Reader,
  withMessage,
} from '../query/conditions/compared-paths.ts'
import {
  type DecidedConditions,
  type Decider,
  decideConditions,
  findUnmetDecided,
  parsedCondition,
} from '../query/conditions/decide-conditions.ts'
import { type Action, getWorkflow, namesOfStep } from './workflow.ts'

/** One demand of an action: its condition, or a name of its `notBy`. */
export type Demand = { readonly action: Action; readonly notBy?: string }

type Deciding = Pick<Decider, 'catalog' | 'timeZone'>

/** Whether an action demands anything of the record and its caller. */
export const hasDemands = ({ condition, notBy = [] }: Action): boolean =>
  condition !== undefined || notBy.length > 0

/** The demands of some actions; the first of the users has the values that conditions name. */
const decideDemands = (
  deps: Deciding,
  users: readonly [Sql, ...Sql[]],
  entity: Entity,
  actions: readonly Action[],
): DecidedConditions<Demand> => {
  const conditional = actions.flatMap((action): (readonly [Demand, object])[] =>
    action.condition ? [[{ action }, action.condition]] : [],
  )
  const conditions = new Map(conditional.map(([demand, one]) => [demand, parsedCondition(one)]))
  const { joins, byKey } = decideConditions(deps, users[0], entity, conditions)
  const excluding = actions.flatMap((action) =>
    (action.notBy ?? []).map((notBy): readonly [Demand, Sql] => [
      { action, notBy },
      isNotBy(entity, notBy, users),
    ]),
  )
  return { joins, byKey: new Map([...byKey, ...excluding]) }
}

/** Whether the demands of each action are met; actions without any are left out. */
export const decideActions = (
  deps: Deciding,
  users: readonly [Sql, ...Sql[]],
  entity: Entity,
  actions: readonly Action[],
): DecidedConditions<Action> => {
  const { joins, byKey } = decideDemands(deps, users, entity, actions)
  const byAction = Map.groupBy(byKey, ([{ action }]) => action)
  return {
    joins,
    byKey: new Map(
      [...byAction].map(([action, all]) => [action, allOf(all.map(([, sql]) => sql))]),
    ),
  }
}

/** The users who count as the caller: also who really acts. */
export const usersOf = ({
  userId,
  actingUserId,
}: Pick<Decider, 'userId' | 'actingUserId'>): readonly [Sql, ...Sql[]] => [
  int(userId),
  ...(actingUserId == null ? [] : [int(actingUserId)]),
]

/** For each of the records the demands that are not met. */
export const findUnmetDemands = (
  database: Queryable,
  decider: Decider,
  records: { readonly entity: Entity; readonly ids: readonly number[] },
  actions: readonly Action[],
): Promise<ReadonlyMap<number, ReadonlySet<Demand>>> =>
  findUnmetDecided(
    database,
    records,
    decideDemands(decider, usersOf(decider), records.entity, actions),
  )

type Unmet = ComparedPaths & {
  /** Of `notBy`: links that the caller may see, and actions. */
  readonly notBy: readonly string[]
  /** What the definition says to it. */
  readonly message: string | null
}

/** Why an action is not open, as far as the caller may read it. */
export const printUnmet = (
  reader: Reader,
  { condition, message }: Action,
  unmet: readonly Demand[],
): Unmet => {
  const isUnmet = unmet.some(({ notBy }) => notBy === undefined)
  const compared =
    condition && isUnmet
      ? comparedPaths(reader, parsedCondition(condition))
      : { fields: [], callerFields: [] }
  const isSeen = (name: string) => {
    const link = linkOfNotBy(reader.entity, name)
    return !link || !reader.access.hides(reader.entity, link)
  }
  return {
    ...compared,
    notBy: unmet.flatMap(({ notBy }) => (notBy !== undefined && isSeen(notBy) ? [notBy] : [])),
    message: isUnmet || condition === undefined ? (message ?? null) : null,
  }
}

/** 409, for a record in whose step the action would be open. */
export const unmetAction = (
  reader: Reader,
  id: number,
  action: Action,
  unmet: readonly Demand[],
): ApiError => {
  const { notBy, message, ...compared } = printUnmet(reader, action, unmet)
  const isOfCondition = unmet.some((demand) => demand.notBy === undefined)
  const reasons = [
    ...(isOfCondition ? [`its condition${printCompared(compared)} does not hold`] : []),
    ...(unmet.some((demand) => demand.notBy !== undefined) ? [excluded(reader.entity, notBy)] : []),
  ]
  const sentence = `The action "${action.key}" is not open to you for ${reader.entity.key} ${id}: ${reasons.join(', and ')}.`
  return apiError('workflow.condition-not-met', withMessage(sentence, message ?? undefined))
}

const excluded = (entity: Entity, names: readonly string[]): string => {
  const reasons = names.map((name) =>
    linkOfNotBy(entity, name) ? `you are its "${name}"` : `you took "${name}"`,
  )
  return reasons.length === 0 ? 'another user has to take it' : reasons.join(' and ')
}

// Whom an action leaves out by `notBy`: users to whom the record links, and those who took another action of it in its present round.

/** The link to a user of a name in `notBy`; undefined: the name is that of an action. */
export const linkOfNotBy = ({ associations }: Entity, name: string): Column | undefined => {
  const column = associations.get(name)
  return column?.target === 'user' ? column : undefined
}

/** Whether a name of `notBy` leaves out none of the users of these ids, for the record `t`. */
const isNotBy = (entity: Entity, name: string, users: readonly Sql[]): Sql => {
  const link = linkOfNotBy(entity, name)
  const ids = join(users, ', ')
  if (link) return sql`(${ref(link.name, 't')} IN (${ids})) IS NOT TRUE`
  const { steps } = getWorkflow(entity)
  const rounds = steps
    .filter(({ actions = [] }) => actions.some(({ key }) => key === name))
    .map(({ key }) => inPresentRound(entity, texts(namesOfStep(getWorkflow(entity), key))))
  return sql`NOT EXISTS (
    SELECT FROM docket.history h
    WHERE ${isActionOf(entity, 'h')} AND h.action->>'key' = ${text(name)}
      AND (h.user_id IN (${ids}) OR h.acting_user_id IN (${ids})) AND ${anyOf(rounds)}
  )`
}

const isActionOf = ({ key }: Entity, alias: string): Sql => {
  const [entityKey, id, operation] = ['entity_key', 'entity_id', 'operation'].map((name) =>
    ref(name, alias),
  ) as [Sql, Sql, Sql]
  return allOf([
    sql`${entityKey} = ${text(key)}`,
    sql`${id} = t.id`,
    sql`${operation} = 'proceedToStep'`,
  ])
}

/** Whether the action `h` was taken in a step that the record has not entered again since: by the order of the history, not by time. */
const inPresentRound = (entity: Entity, step: Sql): Sql => sql`(
  h.action->>'from' = ANY (${step})
  AND NOT EXISTS (
    SELECT FROM docket.history e
    WHERE ${isActionOf(entity, 'e')} AND e.id > h.id
      AND e.action->>'to' = ANY (${step}) AND NOT e.action->>'from' = ANY (${step})
  )
)`
