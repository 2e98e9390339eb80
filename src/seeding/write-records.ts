/** Writes the records of a file: those that are there where they differ, then the new ones. */
import type { Queryable } from '../database/pool.ts'
import { type Column, type Entity, uniqueIndexes } from '../definitions/catalog.ts'
import { errorText } from '../errors.ts'
import { columnsOf } from './match-records.ts'
import type { SeedFile, SeedRecord } from './seed.ts'
import { faultAt, faultOfFile, type SeedFault } from './seed-fault.ts'
import { findTaken, insertRows, type Row, updateRows } from './seed-store.ts'

type Writing = { readonly connection: Queryable; readonly seed: SeedFile }

const rowsAtOnce = 5000

/** How many records were changed, or the faults for which PostgreSQL refused them. */
export const writeRecords = async (
  writing: Writing,
  records: readonly SeedRecord[],
): Promise<{ updated: number } | { faults: SeedFault[] }> => {
  const { connection, seed } = writing
  await connection.query('SAVEPOINT seed')
  try {
    const updated = await write(writing, records)
    await connection.query('RELEASE SAVEPOINT seed')
    return { updated }
  } catch (error) {
    if (!isRefusal(error)) throw error
    await connection.query('ROLLBACK TO SAVEPOINT seed')
    const faults = await findTakenValues(writing, records)
    const detail = (error as { detail?: string }).detail ?? errorText(error)
    return {
      faults: faults.length > 0 ? faults : [faultOfFile(seed.file, `is refused: ${detail}`)],
    }
  }
}

/** Unique values that another record of the database has. */
export const findTakenValues = async (
  { connection, seed }: Writing,
  records: readonly SeedRecord[],
): Promise<SeedFault[]> => {
  const { entity } = seed
  const [id] = columnsOf(entity, ['id'])
  const faults: SeedFault[] = []
  for (const { columns: names } of id ? uniqueIndexes(entity) : []) {
    const columns = columnsOf(entity, names)
    const asking = records.filter(({ values }) =>
      columns.every((column) => (values.get(column) ?? null) !== null),
    )
    if (!id || asking.length === 0) continue
    const rows = asking.map((record) => rowOf(record, columns))
    for (const taken of await findTaken(connection, { entity, columns: [id, ...columns], rows })) {
      const record = asking[taken.n - 1]
      const message = `${names.join(' and ')} of the ${entity.key} ${taken.id}, and must be unique`
      if (record) faults.push(faultAt(seed, [record.index, names[0] ?? ''], `is the ${message}`))
    }
  }
  return faults
}

// SQLSTATE classes: 22 data exception, 23 integrity violation, 54 a limit of PostgreSQL.
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && /^(22|23|54)/.test(String((error as { code?: unknown }).code ?? ''))

const rowOf = ({ id, values }: SeedRecord, columns: readonly Column[]): Row => [
  id,
  ...columns.map((column) => values.get(column) ?? null),
]

const write = async (writing: Writing, records: readonly SeedRecord[]): Promise<number> => {
  const { entity } = writing.seed
  const added = records.filter(({ isNew }) => isNew)
  const known = records.filter(({ isNew }) => !isNew)
  if (linksToItself(entity)) {
    // Known records may link to new ones, and new ones to each other: all stand before any is checked.
    await insert(writing, added, added.length)
    return update(writing, known)
  }
  // A value that a known record gives up may be taken by a new one.
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

const update = async (
  { connection, seed: { entity } }: Writing,
  records: readonly SeedRecord[],
): Promise<number> => {
  const [id] = columnsOf(entity, ['id'])
  if (!id) return 0
  let updated = 0
  for (const { columns, alike } of groupByColumns(entity, records))
    for (let start = 0; start < alike.length; start += rowsAtOnce) {
      const rows = alike.slice(start, start + rowsAtOnce).map((record) => rowOf(record, columns))
      updated += await updateRows(connection, { entity, columns: [id, ...columns], rows })
    }
  return updated
}

/** Records that give the same fields: what a seed does not name stays as it is. */
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
