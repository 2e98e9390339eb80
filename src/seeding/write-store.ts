/** Writes of seeding: new records, and records that differ from their rows, each set in one statement. */
import { type Queryable, queryOnce } from '../database/pool.ts'
import { anyOf, join, notDeleted, ref, type Sql, sql, table } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import { isPartOfRecord } from '../definitions/native-entities.ts'
import { insertHistory } from '../records/history.ts'
import { changesBetween, differs } from '../records/write/write-record.ts'
import { type Row, rowsAs } from './seed-store.ts'

const timeColumns = new Set(['_created_at', '_updated_at'])

/** Inserts new records; null times become now. */
export const insertRows = (
  database: Queryable,
  { entity, columns, rows }: { entity: Entity; columns: readonly Column[]; rows: readonly Row[] },
) => {
  const values = columns.map(({ name, isSystem }, index) =>
    isSystem && timeColumns.has(name)
      ? sql`coalesce(${ref(`c${index}`, 's')}, now())`
      : ref(`c${index}`, 's'),
  )
  return queryOnce(
    database,
    sql`
      INSERT INTO ${table(entity)} (${join(
        columns.map(({ name }) => ref(name)),
        ', ',
      )})
      SELECT ${join(values, ', ')}
      FROM ${rowsAs(columns, rows)}`,
  )
}

export type Difference = {
  readonly entity: Entity
  /** The id, then the columns to compare. */
  readonly columns: readonly [Column, ...Column[]]
  readonly rows: readonly Row[]
}

/** Ids of records that differ from their rows in these columns. */
export const findDiffering = async (
  database: Queryable,
  { entity, columns: [id, ...columns], rows }: Difference,
): Promise<number[]> => {
  if (columns.length === 0) return []
  const found = await queryOnce<{ id: number }>(
    database,
    sql`SELECT t.id FROM ${rowsAs([id, ...columns], rows)} JOIN ${table(entity)} t ON t.id = s.c0
      WHERE ${differsFromSeed(columns)}`,
  )
  return found.map((row) => row.id)
}

/** A written record with the names of its changed fields. */
export type ChangedRecord = { readonly id: number; readonly fields: readonly string[] }

/** Updates these columns of records that differ in them, with history. */
export const updateRows = async (
  database: Queryable,
  { entity, columns: [id, ...columns], rows }: Difference,
): Promise<ChangedRecord[]> => {
  if (columns.length === 0) return []
  const records = table(entity)
  const given = new Set(columns.map(({ name }) => name))
  const sets = columns.map(({ name }, index) => sql`${ref(name)} = ${ref(`c${index + 1}`, 's')}`)
  // Seeds have no user.
  if (!given.has('_updated_by')) sets.push(sql`_updated_by = NULL`)
  if (!given.has('_updated_at')) sets.push(sql`_updated_at = now()`)
  const entry = {
    entity,
    operation: operationOn(entity),
    changes: changesBetween(columns, 'b', 'c'),
    author: undefined,
  }
  const written = await queryOnce<{ id: number; changes: string }>(
    database,
    sql`
      WITH s AS MATERIALIZED (SELECT * FROM ${rowsAs([id, ...columns], rows)}),
      before AS (
        SELECT t.*
        FROM ${records} t
        JOIN s ON t.id = s.c0
        WHERE ${differsFromSeed(columns)}
        FOR NO KEY UPDATE OF t
      ),
      changed AS (
        UPDATE ${records} t
        SET ${join(sets, ', ')}, _version = t._version + 1
        FROM s, before b
        WHERE t.id = s.c0 AND b.id = t.id
        RETURNING t.*
      ),
      history AS (
        ${insertHistory(entry, sql`changed c JOIN before b ON b.id = c.id`)}
        RETURNING entity_id, changes
      )
      SELECT entity_id AS id, changes::text AS changes
      FROM history
      ORDER BY entity_id`,
  )
  return written.map((row) => ({ id: row.id, fields: Object.keys(JSON.parse(row.changes)) }))
}

// Operations as named in the history of a record's tasks.
const operationOn = (entity: Entity): Sql =>
  isPartOfRecord(entity) ? sql`${operation} || 'Task'` : operation

const operation = sql`CASE
    WHEN c._is_deleted AND NOT b._is_deleted THEN 'remove'
    WHEN b._is_deleted AND NOT c._is_deleted THEN 'restore'
    ELSE 'change'
  END`

/** Whether the record `t` differs from the values of the row `s`. */
const differsFromSeed = (columns: readonly Column[]): Sql =>
  anyOf(columns.map((column, index) => differs(column, 't', ref(`c${index + 1}`, 's'))))

/** Rows with values that another record has; each row begins with the id of its own record. */
export const findTaken = (
  database: Queryable,
  {
    entity,
    columns: [id, ...columns],
    rows,
  }: { entity: Entity; columns: readonly [Column, ...Column[]]; rows: readonly Row[] },
) => {
  const same = columns.map(
    (column, index) => sql`${ref(column.name, 't')} = ${ref(`c${index + 1}`, 's')}`,
  )
  return queryOnce<{ n: number; id: number }>(
    database,
    sql`
      SELECT s.n, min(t.id) AS id
      FROM ${rowsAs([id, ...columns], rows)}
      JOIN ${table(entity)} t ON ${join(same, ' AND ')}
      WHERE ${notDeleted('t')} AND t.id <> s.c0
      GROUP BY s.n`,
  )
}
