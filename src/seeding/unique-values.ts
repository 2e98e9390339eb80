/** By what seeds know records, and how they compare it: as the unique index of these columns does. */
import type { Column, Entity, Index } from '../definitions/catalog.ts'
import { uniqueIndexes } from '../definitions/catalog.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { hasDefault, isRequired } from '../definitions/values/field-defaults.ts'
import { lowerCase } from '../lower-case.ts'
import type { SeedRecord } from './files/seed.ts'

/** The unique index of exactly these columns. */
export const indexOf = (entity: Entity, columns: readonly Column[]): Index | undefined => {
  const names = columns.map(({ name }) => name).join()
  return uniqueIndexes(entity).find((index) => index.columns.join() === names)
}

/** A value as the index compares it. */
export const asIndexed = (index: Index | undefined, { name }: Column, value: SqlValue): SqlValue =>
  typeof value === 'string' && index?.lowered.includes(name) ? lowerCase(value) : value

/** Whether a missing value of the column is one, because the index distinguishes records by it. */
export const mayBeMissing = (
  index: Index | undefined,
  column: Column,
  values: ReadonlyMap<Column, SqlValue>,
): boolean =>
  index?.nullsNotDistinct === true &&
  !isRequired(column) &&
  (values.has(column) || !hasDefault(column))

/**
 * The values of the columns as the index compares them, a linked record by what names it; undefined if some are missing, so that they
 * are those of no other record.
 */
export const identifyingValues = (
  index: Index | undefined,
  columns: readonly Column[],
  { values, references }: Pick<SeedRecord, 'values' | 'references'>,
): readonly SqlValue[] | undefined => {
  const found = columns.map((column) => {
    const link = references.find((reference) => reference.column === column)
    return link ? link.value : asIndexed(index, column, values.get(column) ?? null)
  })
  return found.includes(null) && !index?.nullsNotDistinct ? undefined : found
}

/** The columns of these names. */
export const columnsOf = (entity: Entity, names: readonly string[]): readonly Column[] =>
  names.map((name) => entity.columnsByName.get(name)).filter((column) => column !== undefined)

/**
 * The columns that identify records: those of the entity's first unique index, unless a native entity has another field for
 * it, which all of them have.
 */
export const keyOf = (
  entity: Entity,
  records: readonly Pick<SeedRecord, 'values'>[] = [],
): readonly Column[] => {
  const { seedKey } = nativeEntity(entity)
  const own = seedKey === undefined ? [] : columnsOf(entity, [seedKey])
  const isGiven = own.some((column) => records.every(({ values }) => values.has(column)))
  return isGiven ? own : columnsOf(entity, uniqueIndexes(entity)[0]?.columns ?? [])
}
