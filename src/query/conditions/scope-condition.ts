/**
 * The condition of a role on the records that it reads, as SQL on a record under any alias: it needs no join besides that record, so
 * that lists, joins and single records ask it alike. A value of the user is a select of its own, which PostgreSQL evaluates
 * once: the index of the column that it is compared with serves.
 */
import { allOf, anyOf, join, raw, ref, type Sql, sql, table } from '../../database/sql.ts'
import { validationError } from '../../errors.ts'
import type { Issue } from '../../issues.ts'
import { type Access, fullAccess } from '../access.ts'
import { compileCondition, compileJoin } from '../compile-select.ts'
import type { Condition } from '../criteria/criteria.ts'
import { planCondition } from '../plan-condition.ts'
import type { Planning } from '../refer.ts'
import type { Join, PlannedCondition } from '../select-plan.ts'
import { planCaller } from './compile-conditions.ts'

export type ScopeConditionOptions = Pick<Planning, 'catalog' | 'entity' | 'timeZone'> & {
  readonly condition: Condition
  /** The id of the user whose fields it may name. */
  readonly user: Sql
  /** Which records the user may read, for links that must be readable. Nothing else of the condition depends on rights. */
  readonly readScope: Access['readScope']
  /** The record. */
  readonly alias: string
}

/** Throws the issues of a condition that was not checked. */
export const compileScopeCondition = ({ condition, ...options }: ScopeConditionOptions): Sql => {
  const issues: Issue[] = []
  const compiled = compilePart(condition, {
    ...options,
    issues,
    followed: { count: 0, lists: 0 },
  })
  if (issues.length > 0) throw validationError('criteria.invalid', issues)
  return compiled
}

type Compiling = Omit<ScopeConditionOptions, 'condition'> & Pick<Planning, 'issues' | 'followed'>

const compilePart = (condition: Condition, compiling: Compiling): Sql => {
  switch (condition.kind) {
    case 'and':
      return allOf(condition.conditions.map((one) => compilePart(one, compiling)))
    case 'or':
      return anyOf(condition.conditions.map((one) => compilePart(one, compiling)))
    case 'not':
      return sql`(${compilePart(condition.condition, compiling)}) IS NOT TRUE`
    default:
      return compileSingle(condition, compiling)
  }
}

/** One comparison, with its links inside of it. */
const compileSingle = (
  condition: Condition,
  { catalog, entity, timeZone, issues, followed, user, readScope, alias }: Compiling,
): Sql => {
  const joins = new Map<string, Join>()
  const aliases = { start: alias, linked: `${alias}_l` }
  // Every other link is followed by the service, which sees every record.
  const access = condition.kind === 'readable' ? { ...fullAccess, readScope } : fullAccess
  const planning: Planning = {
    catalog,
    entity,
    timeZone,
    issues,
    joins,
    aliases,
    access,
    followed,
  }
  const caller = planCaller(planning, user, true)
  const planned = planCondition(condition, { ...planning, caller })
  const holds = compileCondition(planned)
  const [first, ...others] = joins.values()
  if (!first) return holds
  const further = join(others.map(compileJoin), '')
  if (!isEmptyRefused(planned))
    return sql`EXISTS (SELECT FROM (SELECT) one${compileJoin(first)}${further} WHERE ${holds})`
  return sql`EXISTS (
    SELECT FROM ${table(first.entity)} ${raw(first.alias)}${further}
    WHERE ${ref('id', first.alias)} = ${ref(first.from.column.name, first.from.alias)} AND ${holds}
  )`
}

/** Whether a comparison never holds where the linked record is missing, so that PostgreSQL may begin there. */
const isEmptyRefused = (planned: PlannedCondition): boolean => {
  if (
    planned.kind === 'linked' ||
    planned.kind === 'some' ||
    planned.kind === 'among' ||
    planned.kind === 'occurs'
  )
    return true
  return (
    planned.kind === 'compare' && strict.has(planned.operator) && !planned.values.includes(null)
  )
}

const strict: ReadonlySet<string> = new Set(['$eq', '$gt', '$gte', '$lt', '$lte', '$in'])
