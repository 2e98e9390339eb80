/** What stands in place of a personal value once its record is anonymised: valid, and about nobody. */
import type { Column, Entity } from '../catalog.ts'
import { uniqueIndexes } from '../catalog.ts'
import type { FieldTypeName } from '../field-types.ts'
import { isFileField } from '../files.ts'
import type { SqlValue } from './check-value.ts'
import { isRequired } from './field-defaults.ts'

type Rules = { readonly default?: unknown; readonly min?: unknown; readonly max?: unknown }

type Judged = Pick<Column, 'field' | 'type'>

/** By type, values that differ for each record, the best first. */
const ownValues: Partial<Record<FieldTypeName, (id: number) => readonly unknown[]>> = {
  string: (id) => [`anonymised-${id}`, `a-${id}`, String(id)],
  text: (id) => [`anonymised-${id}`, `a-${id}`, String(id)],
  email: (id) => [`anonymised-${id}@example.invalid`],
  url: (id) => [`https://example.invalid/anonymised-${id}`],
}

/** Numbers say nothing by being the id, and are so only where no two records may share one. */
const numbers: readonly FieldTypeName[] = ['integer', 'bigint', 'decimal']

/** By type, what all records may share, the best first; then the examples of the field. */
const sharedValues: Partial<Record<FieldTypeName, readonly unknown[]>> = {
  integer: [0],
  bigint: [0],
  decimal: ['0'],
  boolean: [false],
  date: ['1900-01-01'],
  timestamp: ['1900-01-01T00:00:00.000Z'],
  json: [{}],
}

/** Where it stands: in the record of an id, in a field of which records may share values or not. */
type Place = { readonly id: number; readonly isUnique: boolean; readonly timeZone: string }

/** Null where the field may be empty; undefined: nothing that the service could write is valid. */
export const placeholderOf = (column: Judged, place: Place): SqlValue | undefined => {
  if (!isRequired(column)) return null
  // Another file would have to be made.
  if (isFileField(column.field)) return undefined
  for (const candidate of candidatesOf(column, place)) {
    const result = column.type.check(candidate, place.timeZone)
    if ('value' in result && result.value !== null) return result.value
  }
  return undefined
}

const candidatesOf = ({ field, type }: Judged, { id, isUnique }: Place): readonly unknown[] => {
  const own = ownValues[field.type]?.(id) ?? []
  if (isUnique) return numbers.includes(field.type) ? [id, String(id)] : own
  const { default: fallback, min, max } = field as Rules
  const chosen = type.choices ? [fallback] : []
  const shared = sharedValues[field.type] ?? []
  return [...own, ...chosen, ...shared, min, max, ...type.examples('-')].filter(
    (value) => value !== undefined,
  )
}

/** The fields of an entity whose values are about a person. */
export const personalColumns = (entity: Entity): readonly Column[] =>
  entity.columns.filter(isPersonal)

/** Whether the values of a field are about a person. */
export const isPersonal = ({ field }: Pick<Column, 'field'>): boolean =>
  'personal' in field && field.personal === true

/** What a record of an entity has in its personal fields once it is anonymised. */
export const placeholdersOf = (
  entity: Entity,
  id: number,
  timeZone: string,
): ReadonlyMap<Column, SqlValue> => {
  const unique = new Set(uniqueIndexes(entity).flatMap(({ columns }) => columns))
  return new Map(
    personalColumns(entity).map((column) => {
      const place = { id, timeZone, isUnique: unique.has(column.name) }
      const value = placeholderOf(column, place)
      // `docket check` refuses such a definition.
      if (value === undefined)
        throw new Error(`No placeholder is valid for ${entity.key}.${column.name}.`)
      return [column, value] as const
    }),
  )
}
