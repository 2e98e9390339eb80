/** Totals of all records that match: functions over fields, and the fields that form groups; planned, and compiled to SQL. */
import { withinBudget } from '../database/answer-budget.ts'
import { bigint, join, raw, ref, type Sql, sql } from '../database/sql.ts'
import { addIssue } from '../issues.ts'
import { sortKey } from './choice-order.ts'
import { compileSource } from './compile-select.ts'
import { aggregateOf, fitsAggregate } from './criteria/aggregates.ts'
import type { Aggregation, Totals } from './criteria/criteria.ts'
import { jsonObject } from './record-json.ts'
import { type Planning, refer } from './refer.ts'
import { refuseRepeated } from './select-budget.ts'
import type {
  ColumnPath,
  PlannedAggregation,
  PlannedColumn,
  PlannedTotals,
  SelectPlan,
} from './select-plan.ts'

/** Adds an issue for each field that is unknown, hidden, repeated or of a type that does not fit. */
export const planTotals = ({ aggregations, group }: Totals, planning: Planning): PlannedTotals => ({
  aggregations: aggregations && planAggregations(aggregations, planning),
  group: group && planGroup(group, planning),
})

const planAggregations = (
  wanted: readonly Aggregation[],
  planning: Planning,
): readonly PlannedAggregation[] => {
  const planned = wanted.flatMap(({ name, path, at }) => {
    const ref = refer(path, at, false, planning)
    if (ref && !fitsAggregate(name, ref.column))
      addIssue(planning.issues, {
        path: at,
        message: `"${path}" has a type that "${name}" does not take`,
      })
    return ref ? [{ name, path, ref, at }] : []
  })
  for (const name of new Set(planned.map((one) => one.name)))
    refuseRepeated(
      planned.filter((one) => one.name === name),
      planning.issues,
    )
  return planned
}

const planGroup = (paths: readonly ColumnPath[], planning: Planning): readonly PlannedColumn[] => {
  const planned = paths.flatMap(({ path, at }) => {
    const ref = refer(path, at, false, planning)
    if (ref?.column.type.hasOrder === false)
      addIssue(planning.issues, {
        path: at,
        message: `"${path}" has a type that cannot be grouped`,
      })
    return ref ? [{ path, ref, at }] : []
  })
  refuseRepeated(planned, planning.issues)
  return planned
}

// Compiles the totals of a plan to SQL, whose rows are JSON text: one for all records, or one per group.

/** One row for all records that match. */
export const compileAggregate = (plan: SelectPlan): Sql => {
  const aggregations = plan.totals?.aggregations ?? []
  return sql`
    SELECT ${raw(jsonObject(totalsOf(aggregations)))} AS json
    FROM (SELECT ${join(columnsOf(aggregations), ', ')} ${compileSource(plan)}) s`
}

/** A row for each group, in the order of its values; `limit` ends the list. */
export const compileGroups = (plan: SelectPlan, limit: number): Sql => {
  const { aggregations = [], group = [] } = plan.totals ?? {}
  const keys = group.map((_, index) => `g${index + 1}`)
  const keyColumns = group.map(
    ({ ref: { alias, column } }, index) =>
      sql`${ref(column.name, alias)} AS ${raw(keys[index] ?? '')}`,
  )
  const positions = raw(keys.map((_, index) => `${index + 1}`).join(', '))
  const orderOf = (cellOf: (column: PlannedColumn, index: number) => Sql) =>
    join(
      group.flatMap((one, index) => sortedBy(one, cellOf(one, index))),
      ', ',
    )
  const ordering = orderOf(({ ref: { alias, column } }) => ref(column.name, alias))
  const printed = orderOf((_, index) => raw(keys[index] ?? ''))
  const json = jsonObject([{ name: 'key', text: keyJson(group) }, ...totalsOf(aggregations)])
  return sql`
    SELECT ${raw(withinBudget(json, keyBytes(group)))} AS json
    FROM (
      SELECT ${join([...keyColumns, ...columnsOf(aggregations)], ', ')} ${compileSource(plan)}
      GROUP BY ${positions} ORDER BY ${ordering} LIMIT ${bigint(limit)}) s
    ORDER BY ${printed}`
}

/** Words without a place in the order follow one another as texts. */
const sortedBy = ({ ref: { column } }: PlannedColumn, cell: Sql): readonly Sql[] =>
  column.type.choices === undefined ? [cell] : [sortKey(column.type, cell), cell]

const columnsOf = (aggregations: readonly PlannedAggregation[]): readonly Sql[] => [
  sql`count(*) AS n`,
  ...aggregations.map(
    ({ name, ref: { alias, column } }, index) =>
      sql`${aggregateOf(name).toSql(ref(column.name, alias), column.type)} AS ${raw(`a${index + 1}`)}`,
  ),
]

const orNull = (text: string): string => `coalesce(${text},'null')`

/** The number of records, and the results of each function by path. */
const totalsOf = (aggregations: readonly PlannedAggregation[]) => {
  const results = aggregations.map(({ name, path, ref: { column } }, index) => ({
    function: name,
    name: path,
    text: orNull(aggregateOf(name).toJson(`s.a${index + 1}`, column)),
  }))
  const functions = [...new Set(results.map((result) => result.function))]
  return [
    { name: 'count', text: 's.n::text' },
    ...functions.map((name) => ({
      name,
      text: jsonObject(results.filter((result) => result.function === name)),
    })),
  ]
}

const keyJson = (group: readonly PlannedColumn[]): string =>
  jsonObject(
    group.map(({ path, ref: { column } }, index) => ({
      name: path,
      text: orNull(column.type.jsonText(`s.g${index + 1}`)),
    })),
  )

const keyBytes = (group: readonly PlannedColumn[]): string => {
  const sizes = group.flatMap(({ ref: { column } }, index) => {
    const size = column.type.sizeSql?.(`s.g${index + 1}`)
    return size === undefined ? [] : [`coalesce(${size},0)`]
  })
  return sizes.length === 0 ? '0' : `(${sizes.join('+')})::bigint`
}
