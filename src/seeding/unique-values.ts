/** How seeds compare the values by which records differ: as the unique index of these columns does. */
import type { Column, Entity, Index } from '../definitions/catalog.ts'
import { uniqueIndexes } from '../definitions/catalog.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { hasDefault, isRequired } from '../definitions/values/field-defaults.ts'
import { lowerCase } from '../lower-case.ts'

/** The unique index of exactly these columns. */
export const indexOf = (entity: Entity, columns: readonly Column[]): Index | undefined => {
  const names = columns.map(({ name }) => name).join()
  return uniqueIndexes(entity).find((index) => index.columns.join() === names)
}

/** A value as the index compares it. */
export const asIndexed = (index: Index | undefined, { name }: Column, value: SqlValue): SqlValue =>
  typeof value === 'string' && index?.lowered.includes(name) ? lowerCase(value) : value

/** Whether a missing value of the column is one, because the index tells records by it. */
export const mayBeMissing = (
  index: Index | undefined,
  column: Column,
  values: ReadonlyMap<Column, SqlValue>,
): boolean =>
  index?.nullsNotDistinct === true &&
  !isRequired(column) &&
  (values.has(column) || !hasDefault(column))

/** The values of the columns as the index compares them; undefined if some are missing, so that they are those of no other record. */
export const indexedValues = (
  index: Index | undefined,
  columns: readonly Column[],
  values: ReadonlyMap<Column, SqlValue>,
): readonly SqlValue[] | undefined => {
  const found = columns.map((column) => asIndexed(index, column, values.get(column) ?? null))
  return found.includes(null) && !index?.nullsNotDistinct ? undefined : found
}
