/** Plans the totals of all records that match: functions over fields, and the fields that form groups. */
import { addIssue } from '../../issues.ts'
import { fitsAggregate } from '../criteria/aggregates.ts'
import type { Aggregation, Totals } from '../criteria/criteria.ts'
import { type Planning, refer } from '../refer.ts'
import { refuseRepeated } from '../select-budget.ts'
import type {
  ColumnPath,
  PlannedAggregation,
  PlannedColumn,
  PlannedTotals,
} from '../select-plan.ts'

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
