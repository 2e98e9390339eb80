/** Matches the records of a file with the database by their key, so that loading again finds them. */
import type { Queryable } from '../database/pool.ts'
import { type Column, type Entity, uniqueIndexes } from '../definitions/catalog.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { errorAt, type SeedError, type SeedFile, type SeedRecord } from './files/seed.ts'
import { type Found, findByKey, findIds, lockEntity, reserveIds } from './seed-store.ts'
import { indexedValues, indexOf } from './unique-values.ts'

type Matching = {
  readonly connection: Queryable
  readonly seed: SeedFile
  readonly key: readonly Column[]
}

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

/** The columns of these names. */
export const columnsOf = (entity: Entity, names: readonly string[]): readonly Column[] =>
  names.map((name) => entity.columnsByName.get(name)).filter((column) => column !== undefined)

/** Sets the id of every record: that of the record in the database, or a new one. */
export const matchRecords = async (
  matching: Matching,
  records: readonly SeedRecord[],
): Promise<SeedError[]> => {
  const { connection, seed, key } = matching
  const { entity } = seed
  const idColumn = columnsOf(entity, ['id'])[0]
  const requestedId = ({ values }: SeedRecord) => idOf(idColumn && values.get(idColumn))
  const past = records.reduce((highest, record) => Math.max(highest, requestedId(record) ?? 0), 0)
  // No other writer may use an id between this query and the insert.
  if (past > 0) await lockEntity(connection, entity)
  const known = await findMatches(matching, records, requestedId)
  const errors: SeedError[] = []
  const added: SeedRecord[] = []
  for (const record of records) {
    const requested = requestedId(record)
    const found = known.get(record)
    const id = found?.id
    record.isNew = id === undefined
    record.id = id ?? requested ?? 0
    record.isChangedByPeople = found?.is_changed_by_people ?? false
    record.isRemovedByPeople = record.isChangedByPeople && found?.is_deleted === true
    if (id === undefined && requested === undefined) added.push(record)
    if (id !== undefined && requested !== undefined && id !== requested)
      errors.push(errorAt(seed, [record.index, 'id'], otherId(entity, key, id)))
  }
  errors.push(...(await takenIds(matching, records, requestedId)))
  const ids =
    added.length + past === 0
      ? []
      : await reserveIds(connection, { entity, past, count: added.length })
  for (const [index, record] of added.entries()) record.id = ids[index] ?? 0
  return errors
}

type RequestedId = (record: SeedRecord) => number | undefined

const idOf = (value: SqlValue | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined

const otherId = (entity: Entity, key: readonly Column[], id: number): string =>
  `the ${entity.key} with this ${key.map(({ name }) => name).join(' and ')} has the id ${id} already; ids cannot be changed`

const findMatches = async (
  { connection, seed: { entity }, key }: Matching,
  records: readonly SeedRecord[],
  requestedId: RequestedId,
): Promise<ReadonlyMap<SeedRecord, Found>> => {
  const index = indexOf(entity, key)
  const keyed = records.filter(({ values }) => indexedValues(index, key, values) !== undefined)
  const rows = keyed.map(({ values }) => key.map((column) => values.get(column) ?? null))
  const found = new Map<SeedRecord, Found[]>()
  if (rows.length === 0) return new Map()
  for (const row of await findByKey(connection, { entity, key, rows })) {
    const record = keyed[row.n - 1]
    if (record) found.set(record, [...(found.get(record) ?? []), row])
  }
  const removed = columnsOf(entity, ['_is_deleted'])[0]
  const isRemoved = ({ values }: SeedRecord) =>
    removed !== undefined && values.get(removed) === true
  const known = new Map<SeedRecord, Found>()
  const claimed = new Set<number>()
  // Records that are not removed match first, so that a removed one with the same key cannot take their
  // match.
  for (const record of [...keyed.filter((one) => !isRemoved(one)), ...keyed.filter(isRemoved)]) {
    const free = (found.get(record) ?? []).filter(({ id }) => !claimed.has(id))
    const requested = free.find(({ id }) => id === requestedId(record))
    const match = isRemoved(record)
      ? (requested ?? free.findLast(({ is_deleted }) => is_deleted) ?? free.at(-1))
      : (free.find(({ is_deleted }) => !is_deleted) ??
        requested ??
        // Records that users removed are not inserted again.
        free.findLast(({ is_changed_by_people }) => is_changed_by_people))
    if (!match) continue
    claimed.add(match.id)
    known.set(record, match)
    // A record that a seed removed is restored when a seed names it by its id.
    if (match.is_deleted && removed && !isRemoved(record)) record.values.set(removed, false)
  }
  return known
}

const takenIds = async (
  { connection, seed }: Matching,
  records: readonly SeedRecord[],
  requestedId: RequestedId,
): Promise<SeedError[]> => {
  const { entity } = seed
  const [by] = columnsOf(entity, ['id'])
  const asking = records.filter((record) => record.isNew && requestedId(record) !== undefined)
  if (!by || asking.length === 0) return []
  const values = asking.map((record) => requestedId(record) ?? null)
  const taken = await findIds(connection, { target: entity, by, values })
  return [...taken.keys()].flatMap((position) => {
    const record = asking[position]
    const message = `${values[position]} is the id of another ${entity.key}`
    return record ? [errorAt(seed, [record.index, 'id'], message)] : []
  })
}
