/** Ranges of the key by which an export is divided, and their conditions in SQL. */
import { bound, nothing, raw, type Sql, sql, toLiteralText } from '../../database/sql.ts'
import type { CopyPlan, RangeKey } from '../export-task.ts'

/** Some values of the key, as PostgreSQL prints them; together the ranges of an export have every record once. */
export type KeyRange =
  | { readonly kind: 'all' }
  /** What follows `after` in the order, up to `upTo`; undefined: from its beginning, to its end. */
  | {
      readonly kind: 'values'
      readonly after: string | undefined
      readonly upTo: string | undefined
      /** About how many keys it has, if that is known. */
      readonly keys?: number
    }
  | { readonly kind: 'nulls' }

/** The select of a range. */
export const rangeSelect = (
  { select: [before, after] }: CopyPlan,
  key: RangeKey | undefined,
  range: KeyRange,
): string => `${before}${toLiteralText(key ? conditionOf(key, range) : sql`true`)}${after}`

/** The COPY of a range. */
export const rangeCopy = (copy: CopyPlan, key: RangeKey | undefined, range: KeyRange): string =>
  `COPY (${rangeSelect(copy, key, range)}) TO STDOUT WITH (${copy.options})`

const conditionOf = (key: RangeKey, range: KeyRange): Sql => {
  const column = raw(key.column)
  if (range.kind === 'all') return sql`true`
  if (range.kind === 'nulls') return sql`${column} IS NULL`
  const { after, upTo } = range
  const last = raw(key.isDescending ? '>=' : '<=')
  if (upTo === undefined) return beyond(key, after)
  return sql`${beyond(key, after)} AND ${column} ${last} ${bound(upTo, key.cast)}`
}

const beyond = (key: RangeKey, after: string | undefined): Sql => {
  const column = raw(key.column)
  if (after === undefined) return sql`${column} IS NOT NULL`
  return sql`${column} ${raw(key.isDescending ? '<' : '>')} ${bound(after, key.cast)}`
}

/** Finds the key that is so many keys further on; no row when fewer follow. */
export const keyFurtherOn = (key: RangeKey, after: string | undefined, keys: number): Sql => {
  const column = raw(key.column)
  const stored = key.isPartial ? sql` AND NOT t._is_deleted` : nothing
  return sql`
SELECT ${column}::text AS key
FROM ${raw(key.table)} t
WHERE ${beyond(key, after)}${stored}
ORDER BY ${column}${raw(key.isDescending ? ' DESC' : '')}
OFFSET ${bound(keys - 1, 'bigint')} LIMIT 1`
}
