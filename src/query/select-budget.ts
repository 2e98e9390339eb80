/** Limits of a whole query, besides the limits of its single criteria. */
import { addIssue, type Issue } from '../issues.ts'
import { columnExpression } from './compile-select.ts'
import { criteriaLimits } from './criteria/criteria-limits.ts'
import { operatorOf } from './criteria/operators.ts'
import type { ColumnRef, PlannedCondition } from './select-plan.ts'

type Referred = { readonly ref: ColumnRef; readonly at: string }

/** Two paths to one column, such as `supplier` and `supplier_id`, are duplicates. */
export const refuseRepeated = (referred: readonly Referred[], issues: Issue[]): void => {
  const seen = new Set<string>()
  for (const { ref, at } of referred) {
    const name = `${ref.alias}.${ref.column.name}`
    if (seen.has(name))
      addIssue(issues, { path: at, message: `names the column "${ref.column.name}" again` })
    seen.add(name)
  }
}

/**
 * Maximum bytes of the fields of linked records in one row. Paths may be cyclic, so they can reach the same
 * text many times; the fields of the entity itself do not count.
 */
const maxLinkedBytes = 32 * 1024 * 1024

/** Rejects the first path whose field would make a row too large. */
export const refuseLargeRows = (referred: readonly Referred[], issues: Issue[]): void => {
  let bytes = 0
  for (const { ref, at } of referred) {
    if (ref.alias === 't' || bytes > maxLinkedBytes) continue
    bytes += ref.column.type.maxBytes
    if (bytes > maxLinkedBytes)
      addIssue(issues, {
        path: at,
        message: `exceeds the limit: up to here the fields of linked records may hold ${bytes} bytes; at most ${maxLinkedBytes} are allowed`,
      })
  }
}

/** How many comparisons the texts of a condition may cost in one record. */
const effortOf = (condition: PlannedCondition): number => {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.reduce((sum, inner) => sum + effortOf(inner), 0)
    case 'not':
    case 'linked':
    case 'some':
      return effortOf(condition.condition)
    case 'compare': {
      const { type } = condition.ref.column
      const { effort } = operatorOf(condition.operator)
      const [value = null] = condition.values
      return effort === undefined || typeof value !== 'string'
        ? 0
        : effort(value, type) * (type.maxLength ?? type.maxBytes)
    }
    case 'never':
    case 'relate':
    case 'among':
    // Regular expressions are linear, and PostgreSQL sees a cancel within them.
    case 'occurs':
      return 0
  }
}

/** Rejects a condition that may keep PostgreSQL busy with one record, where it sees no cancel. */
export const refuseSlowRecords = (condition: PlannedCondition, issues: Issue[]): void => {
  const effort = effortOf(condition)
  if (effort > criteriaLimits.effort)
    addIssue(issues, {
      path: '$where',
      message: `needs up to ${effort} comparisons of characters in one record; at most ${criteriaLimits.effort} are allowed: search for fewer or shorter texts, or in shorter fields`,
    })
}

/**
 * SQL: the bytes of the texts of a row. PostgreSQL knows the size of a text without reading it; values of
 * other types are small.
 */
export const rowBytes = (refs: readonly ColumnRef[]): string => {
  const sizes = refs.flatMap((ref) => {
    const { sizeSql } = ref.column.type
    return sizeSql ? [`coalesce(${sizeSql(columnExpression(ref))},0)`] : []
  })
  return sizes.length === 0 ? '0' : `(${sizes.join('+')})::bigint`
}
