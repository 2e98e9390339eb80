/** Limits of a whole query, besides the limits of its single criteria. */
import { addIssue, type Issue } from '../issues.ts'
import { columnExpression } from './compile-select.ts'
import type { ColumnRef } from './select-plan.ts'

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
