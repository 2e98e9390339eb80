/** Turns a plan into SQL. Every select of records, searches and exports is written here. */

import {
  bigint,
  identifier,
  int,
  join,
  raw,
  type Sql,
  sql,
  table,
  tableName,
} from '../database/sql.ts'
import type { RecordScope } from './access.ts'
import { operatorOf } from './operators.ts'
import type {
  ColumnRef,
  Join,
  PlannedCondition,
  PlannedOrdering,
  SelectPlan,
} from './select-plan.ts'

/** The column of a plan as an SQL expression: `t."number"`. */
export const columnExpression = ({ alias, column }: ColumnRef): string =>
  `${alias}.${identifier(column.name)}`

/**
 * `SELECT <list> FROM …`, with the plan's joins, conditions, order and page. Where only the answer
 * needs the joins, the page is cut first, so that skipped rows are never joined.
 */
export const compileSelect = (plan: SelectPlan, list: Sql): Sql => {
  const cutsFirst = plan.page !== undefined && plan.joins.every((step) => !step.isDecisive)
  const base = raw(`${tableName(plan.entity.key)} t`)
  const filter = where(plan)
  const order = orderBy(plan.orderBy)
  const joins = join(plan.joins.map(compileJoin), '')
  return cutsFirst
    ? sql`SELECT ${list} FROM (SELECT t.* FROM ${base}${filter}${order}${page(plan)}) t${joins}${order}`
    : sql`SELECT ${list} FROM ${base}${joins}${filter}${order}${page(plan)}`
}

/**
 * The same, for a list that adds up its rows: the page is always cut inside, so that the sum is that of
 * the page.
 */
export const compilePage = (plan: SelectPlan, list: Sql): Sql => {
  if (!plan.page || plan.joins.every((step) => !step.isDecisive)) return compileSelect(plan, list)
  const joins = join(plan.joins.map(compileJoin), '')
  const cut = compileSelect({ ...plan, joins: decisive(plan) }, raw('t."id"'))
  return sql`
    SELECT ${list}
    FROM (${cut}) page JOIN ${table(plan.entity)} t ON t."id" = page."id"${joins}${orderBy(plan.orderBy)}`
}

const decisive = ({ joins }: SelectPlan): readonly Join[] => joins.filter((step) => step.isDecisive)

/** The number of records that the plan's conditions match, whatever its page. */
export const compileCount = (plan: SelectPlan): Sql => {
  const joins = join(decisive(plan).map(compileJoin), '')
  return sql`SELECT count(*) AS total FROM ${raw(`${tableName(plan.entity.key)} t`)}${joins}${where(plan)}`
}

/** The condition that keeps to the records of a scope, for the table under `alias`. */
export const compileScope = (scope: RecordScope, hasOwner: boolean, alias: string): Sql => {
  if (scope === 'all') return raw('true')
  if (scope === 'none') return raw('false')
  const user = int(scope.ownedBy)
  const created = sql`${raw(`${alias}."_created_by"`)} = ${user}`
  return hasOwner ? sql`(${created} OR ${raw(`${alias}."_owned_by"`)} = ${user})` : created
}

const compileJoin = (step: Join): Sql => {
  const on = raw(`${step.alias}."id" = ${columnExpression(step.from)}`)
  const table = raw(` LEFT JOIN ${tableName(step.entity.key)} ${step.alias} ON `)
  if (step.scope === 'all') return sql`${table}${on}`
  return sql`${table}${on} AND ${compileScope(step.scope, step.entity.hasOwner, step.alias)}`
}

const where = (plan: SelectPlan): Sql => {
  const conditions = [
    ...(plan.withRemoved ? [] : [raw('NOT t."_is_deleted"')]),
    ...(plan.scope === 'all' ? [] : [compileScope(plan.scope, plan.entity.hasOwner, 't')]),
    ...(plan.where ? [compileCondition(plan.where)] : []),
  ]
  return conditions.length === 0 ? raw('') : sql` WHERE ${join(conditions, ' AND ')}`
}

const orderBy = (orderings: readonly PlannedOrdering[]): Sql =>
  raw(
    ` ORDER BY ${orderings
      .map(({ ref, descending }) => `${columnExpression(ref)}${descending ? ' DESC' : ''}`)
      .join(', ')}`,
  )

const page = ({ page: wished }: SelectPlan): Sql => {
  if (!wished) return raw('')
  const limit = sql` LIMIT ${bigint(wished.limit)}`
  return wished.offset === 0 ? limit : sql`${limit} OFFSET ${bigint(wished.offset)}`
}

const compileCondition = (condition: PlannedCondition): Sql => {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return group(condition.conditions, condition.kind)
    case 'not':
      // Two-valued on purpose: $not gives exactly the records that the condition does not.
      return sql`(${compileCondition(condition.condition)}) IS NOT TRUE`
    case 'never':
      return raw('false')
    case 'compare': {
      const { ref, operator, values } = condition
      const column = { sql: raw(columnExpression(ref)), type: ref.column.type }
      return operatorOf(operator).toSql(column, values)
    }
  }
}

const group = (conditions: readonly PlannedCondition[], kind: 'and' | 'or'): Sql =>
  conditions.length === 0
    ? raw('true')
    : sql`(${join(conditions.map(compileCondition), kind === 'and' ? ' AND ' : ' OR ')})`
