/** Parses `$aggregate` and `$group`: only the shape. */
import { kindOf } from '../../definitions/values/check-value.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { shorten } from '../../issues.ts'
import { type AggregateName, aggregates } from './aggregates.ts'
import type { Aggregation, Totals } from './criteria.ts'
import { criteriaLimits } from './criteria-limits.ts'
import { isObject, type Reading, readNames, wrong } from './reading.ts'

const aggregateNames = Object.keys(aggregates)
const isAggregate = (name: string): name is AggregateName => aggregateNames.includes(name)

/** Undefined if the body asks for neither. */
export const readTotals = (
  { $aggregate, $group }: Readonly<Record<string, unknown>>,
  reading: Reading,
): Totals | undefined => {
  if ($aggregate === undefined && $group === undefined) return undefined
  const group = readNames($group, '$group', reading, criteriaLimits.groupedBy)
  return {
    aggregations: $aggregate === undefined ? undefined : readAggregations($aggregate, reading),
    group: $group === undefined ? undefined : group.map(({ name, at }) => ({ path: name, at })),
  }
}

const readAggregations = (value: unknown, reading: Reading): readonly Aggregation[] => {
  const most = criteriaLimits.aggregations
  if (!isObject(value)) {
    wrong(reading, '$aggregate', `must be an object, not ${kindOf(value)}`)
    return []
  }
  const found: Aggregation[] = []
  for (const [name, fields] of Object.entries(value)) {
    if (reading.isOver) break
    const at = `$aggregate.${shorten(name)}`
    if (!isAggregate(name))
      wrong(reading, at, 'is not a function', () => didYouMean(name, aggregateNames))
    else
      for (const field of readNames(fields, at, reading))
        found.push({ name, path: field.name, at: field.at })
  }
  if (found.length > most)
    wrong(reading, '$aggregate', `has ${found.length} fields, at most ${most} are allowed`)
  else if (found.length === 0 && reading.issues.length === 0)
    wrong(reading, '$aggregate', 'must name a function, such as { "sum": ["total"] }')
  return found
}
