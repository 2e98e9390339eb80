/** Writes the records of a file that are in its tables: new ones, and on request those that differ. */
import { theService } from '../auth/caller.ts'
import { sameIndexed } from '../database/compared-values.ts'
import { isRefusal } from '../database/database-errors.ts'
import { execute, queryOnce } from '../database/pool.ts'
import {
  allOf,
  anyOf,
  bound,
  ints,
  notDeleted,
  nothing,
  raw,
  ref,
  type Sql,
  sql,
  table,
  text,
} from '../database/sql.ts'
import { partOf } from '../database/transaction.ts'
import { type Column, type Entity, uniqueIndexes } from '../definitions/catalog.ts'
import { partOfRecords } from '../definitions/native-entities.ts'
import { defaultOf } from '../definitions/values/field-defaults.ts'
import type { Calendar } from '../definitions/values/rules/moving-times.ts'
import { errorText } from '../errors.ts'
import { insertSet, updateSet } from '../records/write/write-sets.ts'
import { differs } from '../records/write/write-statements.ts'
import { type Checking, findInvalid } from './checks/check-rows.ts'
import { errorAt, errorOfFile, type SeedError } from './files/seed.ts'
import type { FileKeeper } from './keep-files.ts'
import { type GivenColumn, isChangedByPeople, type SeedRows } from './seed-rows.ts'
import { columnsOf } from './unique-values.ts'

/** A written record with the names of its changed fields. */
export type ChangedRecord = { readonly id: number; readonly fields: readonly string[] }

/** A record that differs from its seed and was not updated. */
export type LeftRecord = {
  readonly id: number
  readonly reason: 'not asked to update' | 'changed by users' | 'removed by users'
}

type Written = {
  readonly inserted: number
  readonly updated: readonly ChangedRecord[]
  readonly left: readonly LeftRecord[]
}

type Writing = Checking & {
  readonly rows: SeedRows
  readonly isUpdating: boolean
  readonly files: FileKeeper
}

class Refused extends Error {
  readonly errors: readonly SeedError[]
  constructor(errors: readonly SeedError[]) {
    super('Records do not meet validations.')
    this.errors = errors
  }
}

/** What was written, or the errors of validations and of PostgreSQL. */
export const writeRecords = async (
  writing: Writing,
): Promise<Written | { errors: readonly SeedError[] }> => {
  const { connection, rows } = writing
  try {
    return await partOf(connection).transact(() => write(writing))
  } catch (error) {
    if (error instanceof Refused) return { errors: error.errors }
    if (!isRefusal(error)) throw error
    const errors = await findTaken(writing)
    const detail = (error as { detail?: string }).detail ?? errorText(error)
    return {
      errors: errors.length > 0 ? errors : [errorOfFile(rows.seed.file, `is rejected: ${detail}`)],
    }
  }
}

const write = async (writing: Writing): Promise<Written> => {
  const { connection, files, isUpdating, rows } = writing
  const { entity } = rows.seed
  const locked = isUpdating ? await lockDiffering(writing) : []
  const left = await findLeft(writing)
  const updates = () => (locked.length > 0 ? update(writing, locked) : [])
  // Existing records may link to new ones of the file; else a new one may use a value that an existing one no longer has.
  const isLinked = entity.columns.some(({ isSystem, target }) => !isSystem && target === entity.key)
  const early = isLinked ? undefined : await updates()
  const inserted = await insert(writing)
  const updated = early ?? (await updates())
  if (rows.hasFiles) await files.keep(connection, entity, locked)
  const errors = await findInvalid(writing, rows, locked)
  if (errors.length > 0) throw new Refused(errors)
  return { inserted, updated, left }
}

/** What a row gives the record `t` that it is: one that is named is not removed, unless the seed says so. */
const changesOf = ({ seed: { entity }, given }: SeedRows): readonly GivenColumn[] => {
  const [column] = columnsOf(entity, ['_is_deleted'])
  if (!column) return given
  const named = given.find((one) => one.column === column)
  const removal = {
    column,
    value: named ? sql`coalesce(${named.value}, false)` : sql`false`,
    isGiven: named ? sql`(${named.isGiven} OR v.is_removed)` : sql`v.is_removed`,
  }
  return [...given.filter((one) => one !== named), removal]
}

const differsFromSeed = (rows: SeedRows): Sql =>
  anyOf(
    changesOf(rows).map(
      ({ column, value, isGiven }) => sql`(${isGiven} AND ${differs(column, 't', value)})`,
    ),
  )

const matched = (entity: Entity): Sql =>
  sql`pg_temp.seed_record v JOIN ${table(entity)} t ON t.id = v.match`

/** Locks the records to update, because users may have written them since they were found. Those that users change later are not touched. */
const lockDiffering = async ({ connection, rows }: Writing): Promise<number[]> => {
  const { entity } = rows.seed
  const found = await queryOnce<{ id: number }>(
    connection,
    sql`
      SELECT t.id
      FROM ${matched(entity)}
      WHERE NOT v.is_changed AND ${differsFromSeed(rows)}
      ORDER BY t.id
      FOR NO KEY UPDATE OF t`,
  )
  const ids = found.map(({ id }) => id)
  // Another statement sees what others committed while this one waited for locks.
  if (ids.length > 0)
    await execute(
      connection,
      sql`
        UPDATE pg_temp.seed_record v
        SET is_changed = true, is_removed = t._is_deleted
        FROM ${table(entity)} t
        WHERE t.id = v.match AND t.id = ANY (${ints(ids)}) AND ${isChangedByPeople(entity)}`,
    )
  return ids
}

const findLeft = async ({ connection, rows, isUpdating }: Writing): Promise<LeftRecord[]> => {
  const others = isUpdating ? sql`v.is_changed` : sql`true`
  const found = await queryOnce<{ id: number; is_changed: boolean; is_removed: boolean }>(
    connection,
    sql`
      SELECT v.id, v.is_changed, v.is_removed
      FROM ${matched(rows.seed.entity)}
      WHERE ${others} AND (v.is_changed AND v.is_removed OR ${differsFromSeed(rows)})
      ORDER BY v.id`,
  )
  return found.map(({ id, is_changed: isChanged, is_removed: isRemoved }) => {
    if (!isChanged) return { id, reason: 'not asked to update' }
    return { id, reason: isRemoved ? 'removed by users' : 'changed by users' }
  })
}

/** The columns of a new record with what a row gives them. */
const newCells = (
  { seed: { entity }, given, following }: SeedRows,
  calendar: Calendar,
): readonly { readonly column: Column; readonly value: Sql }[] => {
  const cell = (name: string, usual: Sql | undefined): Sql | undefined => {
    const one = given.find(({ column }) => column.name === name)
    return one
      ? sql`CASE WHEN ${one.isGiven} THEN ${one.value} ELSE ${usual ?? sql`NULL`} END`
      : usual
  }
  // The creator of a record is also its owner and last editor, unless the seed names others.
  const creator = cell('_created_by', undefined)
  const usual: Readonly<Record<string, Sql | undefined>> = {
    _is_deleted: sql`false`,
    _step: text(entity.definition.workflow?.initialStep ?? null),
    _created_at: sql`now()`,
    _updated_at: cell('_created_at', sql`now()`),
    _updated_by: creator,
    _owned_by: creator,
  }
  const byDefault = (column: Column): Sql | undefined => {
    const value = defaultOf(column, calendar)
    const fixed = value === null ? undefined : bound(value, column.type.cast)
    const follows = following.get(column)
    return follows ? sql`coalesce(${follows}, ${fixed ?? sql`NULL`})` : fixed
  }
  return entity.columns.flatMap((column) => {
    const { name, isSystem, isCalculated } = column
    if (name === 'id' || isCalculated) return []
    const value = cell(name, isSystem ? usual[name] : byDefault(column))
    return value ? [{ column, value }] : []
  })
}

const insert = async ({ connection, rows, calendar }: Writing): Promise<number> => {
  const { entity } = rows.seed
  const id = columnsOf(entity, ['id']).map((column) => ({ column, value: raw('v.id') }))
  const cells = [...id, ...newCells(rows, calendar)]
  const added = sql`(SELECT * FROM pg_temp.seed_record s WHERE s.match IS NULL ORDER BY s.n)`
  const written = { entity, author: theService, rows: added, cells, withEvents: false }
  const statement = insertSet({ ...written, withHistory: false })
  const [inserted] = await queryOnce<{ ids: number[] }>(connection, statement)
  return inserted?.ids.length ?? 0
}

/** Updates those of the records that users have not changed, with history. */
const update = async (
  { connection, rows }: Writing,
  ids: readonly number[],
): Promise<ChangedRecord[]> => {
  const { entity } = rows.seed
  const cells = changesOf(rows).map(({ column, value, isGiven }) => {
    const usual = usualOfChange[column.name] ?? ref(column.name, 'b')
    return { column, value: sql`CASE WHEN ${isGiven} THEN ${value} ELSE ${usual} END` }
  })
  const differing = sql`(
    SELECT v.*, v.match AS _match
    FROM pg_temp.seed_record v
    WHERE NOT v.is_changed AND v.match = ANY (${ints(ids)})
  )`
  const written = { entity, author: theService, rows: differing, cells, withEvents: false }
  const statement = updateSet({
    ...written,
    historyOperation: operationOn(entity),
    selected: [sql`h.changes::text AS changes`],
  })
  const changed = await queryOnce<{ id: number; changes: string }>(connection, statement)
  return changed
    .map(({ id, changes }) => ({ id, fields: Object.keys(JSON.parse(changes)) }))
    .toSorted((one, other) => one.id - other.id)
}

// Seeds have no user.
const usualOfChange: Readonly<Record<string, Sql>> = {
  _updated_by: sql`NULL::integer`,
  _updated_at: sql`now()`,
}

const operationOn = (entity: Entity): Sql => {
  const part = partOfRecords(entity)
  return sql`CASE
    WHEN c._is_deleted AND NOT b._is_deleted THEN 'remove'
    WHEN b._is_deleted AND NOT c._is_deleted THEN 'restore'
    ELSE 'change'
  END${part ? sql` || ${text(part.word)}` : nothing}`
}

/** Unique values that another record already has: of what was to be written. */
const findTaken = async ({ connection, rows, isUpdating }: Writing): Promise<SeedError[]> => {
  const { seed, records, given } = rows
  const { entity } = seed
  const written = isUpdating ? sql`NOT v.is_changed` : sql`v.match IS NULL`
  const errors: SeedError[] = []
  for (const index of uniqueIndexes(entity)) {
    const same = index.columns.flatMap((name) => {
      const one = given.find(({ column }) => column.name === name)
      return one ? [sameIndexed(index, name, ref(name, 't'), one.value)] : []
    })
    if (same.length < index.columns.length) continue
    const found = await queryOnce<{ n: number; id: number }>(
      connection,
      sql`
        SELECT v.n, min(t.id) AS id
        FROM pg_temp.seed_record v
        JOIN ${table(entity)} t ON ${allOf(same)}
        WHERE ${notDeleted('t')} AND t.id <> v.id AND ${written}
        GROUP BY v.n`,
    )
    const names = index.columns.join(' and ')
    for (const { n, id } of found)
      errors.push(
        errorAt(
          seed,
          [records[n]?.index ?? 0, index.columns[0] ?? ''],
          `is the ${names} of the ${entity.key} ${id}, and must be unique`,
        ),
      )
  }
  return errors
}
