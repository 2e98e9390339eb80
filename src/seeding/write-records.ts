/** Writes the records of a file: new ones, and on request those that differ. */
import type { Queryable } from '../database/pool.ts'
import { type Catalog, type Column, type Entity, uniqueIndexes } from '../definitions/catalog.ts'
import { errorText } from '../errors.ts'
import { findInvalid } from './checks/check-records.ts'
import {
  errorAt,
  errorOfFile,
  type SeedError,
  type SeedFile,
  type SeedRecord,
} from './files/seed.ts'
import { columnsOf } from './match-records.ts'
import {
  type ChangedRecord,
  type Difference,
  findDiffering,
  findTaken,
  insertRows,
  lockAndFindChanged,
  type Row,
  updateRows,
} from './seed-store.ts'
import { indexedValues, indexOf } from './unique-values.ts'

type Writing = {
  readonly connection: Queryable
  readonly catalog: Catalog
  readonly timeZone: string
  readonly seed: SeedFile
  readonly isUpdating: boolean
}

/** A record that differs from its seed and was not updated. */
export type LeftRecord = {
  readonly id: number
  readonly reason: 'not asked to update' | 'changed by users' | 'removed by users'
}

type Written = { readonly updated: readonly ChangedRecord[]; readonly left: readonly LeftRecord[] }

const rowsAtOnce = 5000

/** The changed and the skipped records, or the errors of PostgreSQL. */
export const writeRecords = async (
  writing: Writing,
  records: readonly SeedRecord[],
): Promise<Written | { errors: SeedError[] }> => {
  const { connection, seed } = writing
  await connection.query('SAVEPOINT seed')
  try {
    const differing = await lockDiffering(writing, records)
    const left = await findLeft(writing, records)
    const updated = await write(writing, records, differing)
    const added = records.filter(({ isNew }) => isNew)
    const errors = await findInvalid(writing, [...added, ...differing])
    const end = errors.length > 0 ? 'ROLLBACK TO SAVEPOINT seed; ' : ''
    await connection.query(`${end}RELEASE SAVEPOINT seed`)
    return errors.length > 0 ? { errors } : { updated, left }
  } catch (error) {
    if (!isRefusal(error)) throw error
    await connection.query('ROLLBACK TO SAVEPOINT seed')
    const errors = await findTakenValues(writing, records)
    const detail = (error as { detail?: string }).detail ?? errorText(error)
    return {
      errors: errors.length > 0 ? errors : [errorOfFile(seed.file, `is rejected: ${detail}`)],
    }
  }
}

/** Unique values that another record already has. */
export const findTakenValues = async (
  writing: Writing,
  records: readonly SeedRecord[],
): Promise<SeedError[]> => {
  const { connection, seed } = writing
  const { entity } = seed
  const [id] = columnsOf(entity, ['id'])
  const errors: SeedError[] = []
  for (const { columns: names } of id ? uniqueIndexes(entity) : []) {
    const columns = columnsOf(entity, names)
    const index = indexOf(entity, columns)
    const asking = records.filter(
      (record) =>
        isWritten(writing, record) && indexedValues(index, columns, record.values) !== undefined,
    )
    if (!id || asking.length === 0) continue
    const rows = asking.map((record) => rowOf(record, columns))
    for (const taken of await findTaken(connection, { entity, columns: [id, ...columns], rows })) {
      const record = asking[taken.n - 1]
      const message = `${names.join(' and ')} of the ${entity.key} ${taken.id}, and must be unique`
      if (record) errors.push(errorAt(seed, [record.index, names[0] ?? ''], `is the ${message}`))
    }
  }
  return errors
}

// SQLSTATE classes: 22 data exception, 23 integrity violation, 54 a limit of PostgreSQL.
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && /^(22|23|54)/.test(String((error as { code?: unknown }).code ?? ''))

const rowOf = ({ id, values }: SeedRecord, columns: readonly Column[]): Row => [
  id,
  ...columns.map((column) => values.get(column) ?? null),
]

/** New records, and for an update those that no user has changed. */
const isWritten = ({ isUpdating }: Writing, { isNew, isChangedByPeople }: SeedRecord): boolean =>
  isNew || (isUpdating && !isChangedByPeople)

/**
 * Locks the records to update, because users may have written them since the first query. Records that
 * users change later are not touched.
 */
const lockDiffering = async (
  writing: Writing,
  records: readonly SeedRecord[],
): Promise<SeedRecord[]> => {
  const { connection, seed } = writing
  const known = records.filter((record) => !record.isNew && isWritten(writing, record))
  const ids = new Set((await eachGroup(writing, known, findDiffering)).flat())
  if (ids.size === 0) return []
  const found = await lockAndFindChanged(connection, seed.entity, [...ids])
  const changed = new Map(found.map((one) => [one.id, one]))
  for (const record of known) {
    const one = changed.get(record.id)
    if (!one) continue
    record.isChangedByPeople = true
    record.isRemovedByPeople = one.is_deleted
  }
  return known.filter(({ id }) => ids.has(id) && !changed.has(id))
}

const findLeft = async (
  writing: Writing,
  records: readonly SeedRecord[],
): Promise<LeftRecord[]> => {
  const others = records.filter((record) => !isWritten(writing, record))
  const byId = new Map(others.map((record) => [record.id, record]))
  const removed = others.filter(({ isRemovedByPeople }) => isRemovedByPeople).map(({ id }) => id)
  const differing = (await eachGroup(writing, others, findDiffering)).flat()
  return [...new Set([...removed, ...differing])]
    .sort((one, other) => one - other)
    .map((id) => ({ id, reason: reasonOf(byId.get(id)) }))
}

const reasonOf = (record: SeedRecord | undefined): LeftRecord['reason'] => {
  if (record?.isRemovedByPeople) return 'removed by users'
  return record?.isChangedByPeople ? 'changed by users' : 'not asked to update'
}

const write = async (
  writing: Writing,
  records: readonly SeedRecord[],
  known: readonly SeedRecord[],
): Promise<ChangedRecord[]> => {
  const { entity } = writing.seed
  const added = records.filter(({ isNew }) => isNew)
  if (linksToItself(entity)) {
    // Existing records may link to new ones, and new ones to each other, so all are inserted before links
    // are checked.
    await insert(writing, added, added.length)
    return update(writing, known)
  }
  // A new record may use a value that an existing record no longer has.
  const updated = await update(writing, known)
  await insert(writing, added, rowsAtOnce)
  return updated
}

const linksToItself = ({ key, columns }: Entity): boolean =>
  columns.some(({ isSystem, target }) => !isSystem && target === key)

const insert = async (
  { connection, seed: { entity } }: Writing,
  records: readonly SeedRecord[],
  atOnce: number,
) => {
  const columns = entity.columns.filter(({ name }) => name !== 'id')
  const [id] = columnsOf(entity, ['id'])
  for (let start = 0; id && start < records.length; start += atOnce) {
    const rows = records.slice(start, start + atOnce).map((record) => rowOf(record, columns))
    await insertRows(connection, { entity, columns: [id, ...columns], rows })
  }
}

const update = async (writing: Writing, records: readonly SeedRecord[]): Promise<ChangedRecord[]> =>
  (await eachGroup(writing, records, updateRows)).flat()

/** Runs a statement for records with the same fields, in batches. */
const eachGroup = async <T>(
  { connection, seed: { entity } }: Writing,
  records: readonly SeedRecord[],
  run: (database: Queryable, difference: Difference) => Promise<T>,
): Promise<T[]> => {
  const answers: T[] = []
  const [id] = columnsOf(entity, ['id'])
  for (const { columns, alike } of id ? groupByColumns(entity, records) : [])
    for (let start = 0; id && start < alike.length; start += rowsAtOnce) {
      const rows = alike.slice(start, start + rowsAtOnce).map((record) => rowOf(record, columns))
      answers.push(await run(connection, { entity, columns: [id, ...columns], rows }))
    }
  return answers
}

/** Groups records with the same fields: fields that a seed does not name stay unchanged. */
const groupByColumns = (entity: Entity, records: readonly SeedRecord[]) => {
  const groups = new Map<string, { columns: readonly Column[]; alike: SeedRecord[] }>()
  for (const record of records) {
    const columns = entity.columns.filter(
      (column) => column.name !== 'id' && record.values.has(column),
    )
    const name = columns.map((column) => column.name).join(' ')
    const group = groups.get(name) ?? { columns, alike: [] }
    groups.set(name, group)
    group.alike.push(record)
  }
  return groups.values()
}
