/** Finds the ids of the records that seeds name by a unique field, many at once. */
import { type Queryable, queryRows } from '../database/pool.ts'
import { bound, identifier, raw, sql, tableName, toStatement } from '../database/sql.ts'
import { type Catalog, type Entity, uniqueIndexes } from '../definitions/catalog.ts'
import { kindOf } from '../definitions/check-value.ts'
import { nearMiss } from '../near-miss.ts'
import { placeOf, referenceOf } from './check-seed.ts'
import type { SeedFile } from './seed-file.ts'

export type References = {
  /** The id, or the sentence that says why there is none. */
  readonly find: (target: string, field: string, value: unknown) => number | string
}

/** Looks up everything that a file names; records loaded earlier in the transaction are found too. */
export const loadReferences = async (
  connection: Queryable,
  catalog: Catalog,
  { entity, rows }: SeedFile,
): Promise<References> => {
  const wanted = new Map<string, { target: Entity; field: string; values: Set<string> }>()
  for (const { values } of rows)
    for (const [name, value] of Object.entries(values)) {
      const place = placeOf(entity, name)
      if ('message' in place) continue
      const reference = referenceOf(place, value)
      const target = catalog.entities.get(place.column.target ?? '')
      if (!reference || !target || !uniqueFields(target).includes(reference.field)) continue
      const key = `${target.key}.${reference.field}`
      const wish = wanted.get(key) ?? { target, field: reference.field, values: new Set() }
      wish.values.add(String(reference.value))
      wanted.set(key, wish)
    }
  const ids = new Map<string, ReadonlyMap<string, number>>()
  for (const [key, wish] of wanted) ids.set(key, await lookUp(connection, wish))
  return { find: (target, field, value) => find(catalog, ids, { target, field, value }) }
}

const lookUp = async (
  connection: Queryable,
  { target, field, values }: { target: Entity; field: string; values: ReadonlySet<string> },
): Promise<ReadonlyMap<string, number>> => {
  const column = raw(identifier(field))
  const select = sql`SELECT id, ${column}::text AS name FROM ${raw(tableName(target.key))} WHERE ${column}::text = ANY (${bound([...values], 'text[]')}) AND NOT _is_deleted`
  const rows = await queryRows<{ id: number; name: string }>(connection, toStatement(select))
  return new Map(rows.map(({ id, name }) => [name, id]))
}

type Wish = { readonly target: string; readonly field: string; readonly value: unknown }

const find = (
  catalog: Catalog,
  ids: ReadonlyMap<string, ReadonlyMap<string, number>>,
  { target: key, field, value }: Wish,
): number | string => {
  const target = catalog.entities.get(key)
  if (!target) return `links to ${key}, which is no entity`
  const unique = uniqueFields(target)
  if (!unique.includes(field))
    return `must name one unique field of ${key} (${unique.join(', ') || 'it has none'})`
  if (typeof value !== 'string' && typeof value !== 'number')
    return `must name the ${field} of a ${key}, not ${kindOf(value)}`
  const known = ids.get(`${key}.${field}`)
  const id = known?.get(String(value))
  if (id !== undefined) return id
  const near = nearMiss(String(value), known?.keys() ?? [])
  return `there is no ${key} with the ${field} "${value}"${near ? `; did you mean "${near}"?` : ''}`
}

const uniqueFields = (target: Entity): string[] =>
  uniqueIndexes(target).flatMap(({ columns }) => (columns.length === 1 ? columns : []))
