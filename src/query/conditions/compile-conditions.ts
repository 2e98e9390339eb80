/** Conditions of a definition on one record, compiled together: they share the joins to linked records. */
import { join, nothing, ref, type Sql, sql, table } from '../../database/sql.ts'
import { type Column, type Entity, getEntity } from '../../definitions/catalog.ts'
import { validationError } from '../../errors.ts'
import { fullAccess } from '../access.ts'
import { compileCondition, compileJoin } from '../compile-select.ts'
import { type Condition, callerPathsIn } from '../criteria/criteria.ts'
import { planCondition } from '../plan-condition.ts'
import type { CallerPlanning, Planning } from '../refer.ts'
import { refuseSlowRecords } from '../select-budget.ts'
import type { PlannedCondition } from '../select-plan.ts'

type Options = Pick<Planning, 'catalog' | 'entity' | 'timeZone'> & {
  readonly conditions: readonly Condition[]
  /** The id of the acting user, whose fields the conditions may name. */
  readonly user: Sql
}

export type CompiledConditions = {
  /** What follows `FROM <table of the entity> t`: at most one row for each of that table. */
  readonly joins: Sql
  /** Whether each condition holds for the record `t`, in their order. */
  readonly conditions: readonly Sql[]
  /** What they read besides that record, by alias. */
  readonly read: readonly {
    readonly alias: string
    readonly entity: Entity
    /** Whether they ask one of its one-to-many fields: then it is locked like a record that is written. */
    readonly hasList: boolean
  }[]
  /** Whether they ask records that link to others. */
  readonly readsLists: boolean
  /** The links of the record by which they reach others. */
  readonly links: readonly Column[]
}

/** The service itself decides, so every field is visible to it. */
export const compileConditions = (options: Options): CompiledConditions => {
  const { conditions, user, ...asked } = options
  const issues: Planning['issues'] = []
  const followed = { count: 0, lists: 0 }
  const planning: Planning = { ...asked, access: fullAccess, joins: new Map(), followed, issues }
  const namesCaller = conditions.some((condition) => callerPathsIn(condition).length > 0)
  const caller = namesCaller ? planCaller(planning, user) : undefined
  const all = caller ? { ...planning, caller } : planning
  const planned = conditions.map((condition) => planCondition(condition, all))
  for (const condition of planned) refuseSlowRecords(condition, issues)
  if (issues.length > 0) throw validationError('criteria.invalid', issues)
  const joined = [...planning.joins.values(), ...(caller?.joins.values() ?? [])]
  const own = caller ? [{ alias: aliases.start, entity: caller.entity }] : []
  const owners = planned.flatMap(ownersOfLists)
  return {
    joins: join([caller ? joinCaller(caller, user) : nothing, ...joined.map(compileJoin)], ''),
    conditions: planned.map(compileCondition),
    read: [...own, ...joined].map(({ alias, entity }) => ({
      alias,
      entity,
      hasList: owners.includes(alias),
    })),
    readsLists: owners.length > 0,
    links: joined.flatMap(({ from }) => (from.alias === 't' ? [from.column] : [])),
  }
}

/** The aliases of the records whose one-to-many fields a condition asks. */
const ownersOfLists = (condition: PlannedCondition): readonly string[] => {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap(ownersOfLists)
    case 'not':
      return ownersOfLists(condition.condition)
    case 'some':
      return [condition.owner.alias]
    default:
      return []
  }
}

const aliases = { start: 'caller', linked: 'c' } as const

/** The fields of the user of an id: of a joined record, or selected in their places. */
export const planCaller = (planning: Planning, user: Sql, isSelected = false): CallerPlanning => ({
  ...planning,
  entity: getEntity(planning.catalog, 'user'),
  joins: new Map(),
  aliases,
  user,
  isSelected,
})

const joinCaller = ({ entity }: Planning, user: Sql): Sql =>
  sql` LEFT JOIN ${table(entity)} caller ON ${ref('id', aliases.start)} = ${user}`
