/** Numbers of different units are compared as numbers alone: which conditions do so, and by what they could be told apart. */
import type { Condition, Entity } from '../../api/types.ts'
import { unitPathOf } from '../format/format-value.ts'
import type { Entities } from '../values/columns.ts'
import { comparisonOf, operandKind } from './comparisons.ts'
import { type FilterRule, parseFilter } from './filter.ts'
import { type FilterField, filterFieldAt, recordPath } from './filter-fields.ts'

/** The paths that the conditions beside each other are about. */
const comparedPaths = (where: Condition | undefined): readonly string[] =>
  (where && parseFilter(where)?.items)?.flatMap((item) =>
    item.kind === 'rule' ? item.path : [],
  ) ?? []

/** What names the unit of a number that a rule compares; undefined where there is one unit, or a condition on it. */
export const mixedUnitOf = (
  rule: FilterRule,
  where: Condition | undefined,
  entity: Entity,
  entities: Entities,
): FilterField | undefined => {
  const field = filterFieldAt(rule.path, entity, entities)?.field
  const unit = field && unitPathOf(field)
  if (!unit || operandKind(comparisonOf(rule).comparison, field) === 'nothing') return undefined
  const names = [...rule.path.split('.').slice(0, -1), unit].join('.')
  const path = recordPath(names, entity, entities)
  const isGiven = comparedPaths(where).some((one) => one === path || one.startsWith(`${path}.`))
  return isGiven ? undefined : filterFieldAt(path, entity, entities)
}
