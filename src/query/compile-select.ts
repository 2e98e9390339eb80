/** Compiles a plan to SQL. Every select of records, searches and exports is built here. */
import {
  allOf,
  anyOf,
  bigint,
  identifier,
  join,
  notDeleted,
  nothing,
  raw,
  ref,
  type Sql,
  sql,
  table,
  text,
  where,
} from '../database/sql.ts'
import { type Entity, versionColumn } from '../definitions/catalog.ts'
import type { RecordScope } from './access.ts'
import { comparedKey, sortKeyOf } from './choice-order.ts'
import { compileScope } from './compile-scope.ts'
import { operatorOf } from './criteria/operators.ts'
import { following, pageRanges, type Range } from './cursor/compile-keyset.ts'
import type { WordPattern } from './search/word-pattern.ts'
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
 * `SELECT <list> FROM …`, with the plan's joins, conditions, order and page. If only the select list needs
 * the joins, the page is cut first, so that skipped rows are never joined. `source` stands for the table;
 * `further` are conditions besides those of the plan.
 */
export const compileSelect = (
  plan: SelectPlan,
  list: Sql,
  source: Sql = table(plan.entity),
  further: readonly Sql[] = following(plan),
): Sql => {
  const cutsFirst = plan.page !== undefined && plan.joins.every((step) => !step.isDecisive)
  const base = rowsOf(plan, source)
  const few = fewLinkedOf(plan)
  const filter = filterOf(plan, [...few.conditions, ...further])
  const order = orderBy(plan.orderBy)
  const joins = join(plan.joins.map(compileJoin), '')
  const select = sql`${withParts(few.parts)}SELECT ${list}`
  return cutsFirst
    ? sql`${select} FROM (SELECT t.* FROM ${base}${filter}${order}${page(plan)}) t${joins}${order}`
    : sql`${select} FROM ${base}${joins}${filter}${order}${page(plan)}`
}

/**
 * The same, for a list that adds up its rows: the page is always cut inside, so that the sum is that of the
 * page.
 */
export const compilePage = (plan: SelectPlan, list: Sql): Sql => {
  const [first, ...others] = pageRanges(plan)
  if (!plan.page || !first) return compileSelect(plan, list)
  const within = (part: SelectPlan, selected: Sql) =>
    compileSelect(
      { ...part, orderBy: first.orderBy },
      selected,
      table(part.entity),
      first.conditions,
    )
  const cutsById = others.length > 0 || plan.joins.some((step) => step.isDecisive)
  if (!cutsById) return within(plan, list)
  const joins = join(plan.joins.map(compileJoin), '')
  const decisivePlan = { ...plan, joins: decisive(plan) }
  const cut =
    others.length > 0
      ? compileRanges(decisivePlan, [first, ...others])
      : within(decisivePlan, sql`t."id"`)
  return sql`
    SELECT ${list}
    FROM (${cut}) page JOIN ${rowsOf(plan)} ON t."id" = page."id"${joins}${orderBy(plan.orderBy)}`
}

/**
 * The ids of a page from several ranges, in their order. Each is read up to the end of the page, and only
 * if the ranges before it do not reach that far: PostgreSQL counts those before it begins.
 */
const compileRanges = (plan: SelectPlan, ranges: readonly Range[]): Sql => {
  const keys = plan.orderBy.map((_, index) => `k${index + 1}`)
  const keyed = plan.orderBy.map(
    ({ ref: sorted }, index) => sql`${sortKeyOf(sorted)} AS ${raw(keys[index] ?? '')}`,
  )
  const joins = join(plan.joins.map(compileJoin), '')
  const { limit, offset } = plan.page ?? { limit: 0, offset: 0 }
  const end = bigint(limit + offset)
  const names = ranges.map((_, index) => raw(`r${index + 1}`))
  const few = fewLinkedOf(plan)
  const parts = ranges.map((range, index) => {
    const before = names.slice(0, index).map((name) => sql`(SELECT count(*) FROM ${name})`)
    const isNeeded = before.length > 0 ? [sql`${join(before, ' + ')} < ${end}`] : []
    const further = [...few.conditions, ...range.conditions]
    return sql`${names[index] ?? nothing} AS (
      SELECT t."id", ${join(keyed, ', ')} FROM ${rowsOf(plan)}${joins}
      ${filterOf(plan, [...isNeeded, ...further])}${orderBy(range.orderBy)} LIMIT ${end})`
  })
  const all = join(
    names.map((name) => sql`SELECT * FROM ${name}`),
    ' UNION ALL ',
  )
  const order = plan.orderBy.map(({ descending }, index) =>
    directed(raw(keys[index] ?? ''), descending),
  )
  return sql`${withParts([...few.parts, ...parts])}
    SELECT found."id" FROM (${all}) found ORDER BY ${join(order, ', ')}${page(plan)}`
}

const decisive = ({ joins }: SelectPlan): readonly Join[] => joins.filter((step) => step.isDecisive)

/**
 * The number of records that match the plan's conditions, whatever its page. With a limit, it stops after
 * one more than that.
 */
export const compileCount = (plan: SelectPlan, limit?: number): Sql => {
  const joins = join(decisive(plan).map(compileJoin), '')
  const from = sql`FROM ${rowsOf(plan)}${joins}${filterOf(plan)}`
  return limit === undefined
    ? sql`SELECT count(*) AS total ${from}`
    : sql`SELECT count(*) AS total FROM (SELECT ${from} LIMIT ${bigint(limit + 1)}) counted`
}

/** `FROM …` for all records that match, whatever the page, with every linked record. */
export const compileSource = (plan: SelectPlan): Sql =>
  sql`FROM ${rowsOf(plan)}${join(plan.joins.map(compileJoin), '')}${filterOf(plan)}`

const rowsOf = ({ entity, scope }: SelectPlan, source: Sql = table(entity)): Sql =>
  compileRows(entity, scope, 't', source)

/**
 * A table under an alias. Where the roles of a caller show different columns, it has the records of the scope alone, with
 * what is shown of each: whatever reads it, filters or sorts by it sees no more.
 */
export const compileRows = (
  entity: Entity,
  scope: RecordScope,
  alias: string,
  source: Sql = table(entity),
): Sql => {
  if (typeof scope === 'string' || !scope.shown) return sql`${source} ${raw(alias)}`
  return compileShown(entity, scope.shown, { scope, alias, source })
}

type ShownRows = { readonly scope: RecordScope; readonly alias: string; readonly source: Sql }

const compileShown = (
  entity: Entity,
  shown: ReadonlyMap<string, RecordScope>,
  { scope, alias, source }: ShownRows,
): Sql => {
  const inner = `${alias}_m`
  // The condition of each scope once, however many columns it shows.
  const scopes = [...new Set(shown.values())]
  const shows = scopes.map(
    (one, at) => sql`${compileScope(one, entity.hasOwner, inner)} AS ${raw(`s${at}`)}`,
  )
  const cells = [versionColumn, ...entity.columns].map(({ name }) => {
    const where = shown.get(name)
    const value = ref(name, inner)
    if (where === undefined) return value
    const holds = ref(`s${scopes.indexOf(where)}`, `${alias}_s`)
    return sql`CASE WHEN ${holds} THEN ${value} END AS ${ref(name)}`
  })
  return sql`(
    SELECT ${join(cells, ', ')}
    FROM ${source} ${raw(inner)}, LATERAL (SELECT ${join(shows, ', ')}) ${raw(`${alias}_s`)}
    WHERE ${compileScope(scope, entity.hasOwner, inner)}
  ) ${raw(alias)}`
}

/** The condition on rows of `compileRows`. */
const compileScopeOfRows = (scope: RecordScope, hasOwner: boolean, alias: string): Sql =>
  typeof scope === 'string' || !scope.shown ? compileScope(scope, hasOwner, alias) : sql`true`

export const compileJoin = ({
  alias,
  entity,
  scope,
  from,
}: Pick<Join, 'alias' | 'entity' | 'scope' | 'from'>): Sql => {
  const on = sql`${ref('id', alias)} = ${ref(from.column.name, from.alias)}`
  const joined = sql` LEFT JOIN ${compileRows(entity, scope, alias)} ON ${on}`
  return scope === 'all'
    ? joined
    : sql`${joined} AND ${compileScopeOfRows(scope, entity.hasOwner, alias)}`
}

const filterOf = (plan: SelectPlan, further: readonly Sql[] = []): Sql =>
  where([
    ...(plan.withRemoved ? [] : [sql`NOT t."_is_deleted"`]),
    ...(plan.scope === 'all' ? [] : [compileScopeOfRows(plan.scope, plan.entity.hasOwner, 't')]),
    ...(plan.where ? [compileCondition(plan.where)] : []),
    ...further,
  ])

const orderBy = (orderings: readonly PlannedOrdering[]): Sql =>
  sql` ORDER BY ${join(
    orderings.map(({ ref: sorted, descending }) => directed(sortKeyOf(sorted), descending)),
    ', ',
  )}`

const directed = (column: Sql, descending: boolean): Sql =>
  descending ? sql`${column} DESC` : column

const page = ({ page: requested }: SelectPlan): Sql => {
  if (!requested) return nothing
  const limit = sql` LIMIT ${bigint(requested.limit)}`
  return requested.offset === 0 ? limit : sql`${limit} OFFSET ${bigint(requested.offset)}`
}

export const compileCondition = (condition: PlannedCondition): Sql => {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return group(condition.conditions, condition.kind)
    case 'not':
      // EXISTS is never null; PostgreSQL makes an anti join of it.
      if (condition.condition.kind === 'some') return sql`NOT ${compileSome(condition.condition)}`
      // Two-valued on purpose: $not matches exactly the records that the condition does not match.
      return sql`(${compileCondition(condition.condition)}) IS NOT TRUE`
    case 'linked':
      return compileLinked(condition)
    case 'some':
      return compileSome(condition)
    case 'never':
      return sql`false`
    case 'compare': {
      const { alias, column } = condition.ref
      const compared = { sql: ref(column.name, alias), type: column.type }
      return operatorOf(condition.operator).toSql(compared, condition.values)
    }
    case 'relate':
      return compileRelation(condition)
    case 'among':
      return sql`${named(condition.ref)} = ANY (ARRAY(${condition.values}))`
    case 'occurs':
      return compileOccurrence(condition)
  }
}

/** Whether a text has a word. */
export const occursIn = (value: Sql, { regex }: WordPattern): Sql =>
  sql`${value} COLLATE "C" ~ ${text(regex)}`

/** The regular expression decides; for an index there is a pattern that everything meets which it matches. */
const compileOccurrence = ({
  ref: { alias, column },
  pattern,
  isIndexed,
}: Extract<PlannedCondition, { kind: 'occurs' }>): Sql => {
  const name = ref(column.name, alias)
  const occurs = occursIn(name, pattern)
  if (!isIndexed) return occurs
  return sql`(docket.folded(${name}) LIKE docket.folded(${text(pattern.folded)}) AND ${occurs})`
}

// PostgreSQL reads the linked records that meet it once, or those of the rows, whichever costs less.
const compileLinked = ({
  link,
  alias,
  entity,
  scope,
  condition,
}: Extract<PlannedCondition, { kind: 'linked' }>): Sql => sql`EXISTS (
    SELECT FROM ${compileRows(entity, scope, alias)}
    WHERE ${ref('id', alias)} = ${named(link)}
      AND ${allOf([
        ...(scope === 'all' ? [] : [compileScopeOfRows(scope, entity.hasOwner, alias)]),
        compileCondition(condition),
      ])}
  )`

// Never a join: the record would be in the result once for each that meets it. With OFFSET, PostgreSQL does not make one of it either.
const compileSome = ({
  owner,
  link,
  entity,
  scope,
  joins,
  withRemoved,
  isApart,
  condition,
}: Extract<PlannedCondition, { kind: 'some' }>): Sql => sql`EXISTS (
    SELECT FROM ${compileRows(entity, scope, link.alias)}${join(joins.map(compileJoin), '')}
    WHERE ${named(link)} = ${named(owner)}
      AND ${allOf([
        ...(withRemoved ? [] : [notDeleted(link.alias)]),
        ...(scope === 'all' ? [] : [compileScopeOfRows(scope, entity.hasOwner, link.alias)]),
        compileCondition(condition),
      ])}${isApart ? sql` OFFSET 0` : nothing}
  )`

const group = (conditions: readonly PlannedCondition[], kind: 'and' | 'or'): Sql => {
  const compiled = conditions.map(compileCondition)
  return kind === 'or' && compiled.length > 0 ? anyOf(compiled) : allOf(compiled)
}

/** It does not hold where one of the columns of `filled` is empty. */
const compileRelation = ({
  ref: one,
  operator,
  other,
  filled,
}: Extract<PlannedCondition, { kind: 'relate' }>): Sql => {
  const { relation, comparesOrder = false } = operatorOf(operator)
  const key = comparesOrder ? comparedKey : named
  if (!relation) throw new Error(`${operator} does not compare columns.`)
  return allOf([
    ...filled.map((column) => sql`${named(column)} IS NOT NULL`),
    relation(key(one), key(other)),
  ])
}

const named = ({ alias, column, value }: ColumnRef): Sql => value ?? ref(column.name, alias)

// Pages of records whose links lead to few others: the ids of these are read first, and links are compared with them before anything is
// looked up.

// An index finds so many in 0.2 ms, which is what a page loses whose links lead to more.
const most = 500

type Few = {
  /** The parts of a `WITH` that have the ids. */
  readonly parts: readonly Sql[]
  readonly conditions: readonly Sql[]
}

/**
 * Of the page of a plan. Each condition lets through what the scope lets through, which is asked as well: it says only where a record need not
 * be looked up.
 */
const fewLinkedOf = ({ scope, page }: SelectPlan): Few => {
  const isPart = page !== undefined && typeof scope !== 'string' && !scope.shown
  const linked = isPart ? (scope.few?.('t') ?? []) : []
  const names = linked.map((_, index) => raw(`few${index + 1}`))
  return {
    parts: linked.map(({ ids }, index) => partOf(ids, names[index] ?? nothing)),
    conditions: linked.map(({ link }, index) => leadsToOne(link, names[index] ?? nothing)),
  }
}

const partOf = (ids: Sql, name: Sql): Sql =>
  sql`${name} AS MATERIALIZED (${ids} LIMIT ${raw(`${most + 1}`)})`

/**
 * PostgreSQL asks the first condition once, and reads no record where it does not hold. It takes a test for null as one that almost all records
 * pass, and plans the rest as it would without it.
 */
const leadsToOne = (link: Sql, name: Sql): Sql => sql`EXISTS (SELECT FROM ${name}) AND (
    CASE WHEN (SELECT count(*) FROM ${name}) > ${raw(`${most}`)} OR ${link} IN (SELECT id FROM ${name}) THEN 1 END
  ) IS NOT NULL`

/** `WITH …`, if there are parts. */
const withParts = (parts: readonly Sql[]): Sql =>
  parts.length === 0 ? nothing : sql`WITH ${join(parts, ', ')} `
