/** Questions and writes of seeding, each for many rows in one statement. */
import type { Queryable } from '../database/pool.ts'
import {
  bound,
  identifier,
  join,
  raw,
  type Sql,
  sql,
  tableName,
  toStatement,
} from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { SqlValue } from '../definitions/check-value.ts'

export type Row = readonly SqlValue[]

// Unnamed: a plan that is kept would be made for tables that were empty, and fits none later.
const query = async <R extends object>(database: Queryable, statement: Sql): Promise<R[]> =>
  (await database.query<R>(toStatement(statement))).rows

/** Lets one process at a time seed; the others wait until its transaction has ended. */
export const lockSeeding = (database: Queryable) =>
  query(database, sql`SELECT pg_advisory_xact_lock(hashtextextended('docket.seeding', 0))`)

/** Keeps every other writer of an entity out until the transaction ends; readers go on. */
export const lockEntity = (database: Queryable, entity: Entity) =>
  query(database, sql`LOCK TABLE ${raw(tableName(entity.key))} IN SHARE ROW EXCLUSIVE MODE`)

/** `unnest(…) s`: the rows as a table with the columns c0, c1, … and their position n, from 1. */
const rowsAs = (columns: readonly Column[], rows: readonly Row[]): Sql => {
  const lists = columns.map(({ type }, index) =>
    bound(
      rows.map((row) => row[index] ?? null),
      `${type.cast}[]`,
    ),
  )
  const names = columns.map((_, index) => `c${index}`).join(', ')
  return sql`unnest(${join(lists, ', ')}) WITH ORDINALITY AS s (${raw(names)}, n)`
}

const quoted = ({ name }: Column): string => identifier(name)

/** The ids of the records with these values, by position; removed ones only where asked for. */
export const findIds = async (
  database: Queryable,
  wish: {
    readonly target: Entity
    readonly by: Column
    readonly values: readonly SqlValue[]
    readonly withRemoved: boolean
  },
): Promise<ReadonlyMap<number, number>> => {
  const { target, by, values, withRemoved } = wish
  const rows = rowsAs(
    [by],
    values.map((value) => [value]),
  )
  // The last one wins: a record that was not removed, else the newest.
  const scope = raw(withRemoved ? 'true' : 'NOT t._is_deleted')
  const found = await query<{ n: number; id: number }>(
    database,
    sql`SELECT s.n, t.id FROM ${rows} JOIN ${raw(tableName(target.key))} t ON t.${raw(quoted(by))} = s.c0 WHERE ${scope} ORDER BY t._is_deleted DESC, t.id`,
  )
  return new Map(found.map(({ n, id }) => [n - 1, id]))
}

/** Some values of a unique text column, to suggest from. */
export const listValues = async (database: Queryable, target: Entity, by: Column) =>
  (
    await query<{ value: string }>(
      database,
      sql`SELECT ${raw(quoted(by))} AS value FROM ${raw(tableName(target.key))} WHERE NOT _is_deleted AND ${raw(quoted(by))} IS NOT NULL LIMIT 2000`,
    )
  ).map(({ value }) => value)

export type Found = { readonly n: number; readonly id: number; readonly is_deleted: boolean }

/** Every record with one of these keys, also the removed ones, the newest last. */
export const findByKey = (
  database: Queryable,
  { entity, key, rows }: { entity: Entity; key: readonly Column[]; rows: readonly Row[] },
) => {
  const same = key.map((column, index) => raw(`t.${quoted(column)} = s.c${index}`))
  return query<Found>(
    database,
    sql`SELECT s.n, t.id, t._is_deleted AS is_deleted FROM ${rowsAs(key, rows)} JOIN ${raw(tableName(entity.key))} t ON ${join(same, ' AND ')} ORDER BY t.id`,
  )
}

/** Moves the sequence of ids past `past`, then takes so many new ones. */
export const reserveIds = async (
  database: Queryable,
  { entity, past, count }: { entity: Entity; past: number; count: number },
): Promise<number[]> => {
  const sequence = sql`pg_get_serial_sequence(${bound(tableName(entity.key), 'text')}, 'id')::regclass`
  if (past > 0)
    await query(
      database,
      sql`SELECT setval(q.s, ${bound(past, 'bigint')}) FROM (SELECT ${sequence} AS s) q WHERE coalesce(pg_sequence_last_value(q.s), 0) < ${bound(past, 'bigint')}`,
    )
  const rows = await query<{ id: number }>(
    database,
    sql`SELECT nextval(${sequence}) AS id FROM generate_series(1, ${bound(count, 'integer')})`,
  )
  return rows.map(({ id }) => id)
}

const timeColumns = new Set(['_created_at', '_updated_at'])

/** Writes new records; times that are null become now. */
export const insertRows = (
  database: Queryable,
  { entity, columns, rows }: { entity: Entity; columns: readonly Column[]; rows: readonly Row[] },
) => {
  const values = columns.map(({ name, isSystem }, index) =>
    isSystem && timeColumns.has(name) ? `coalesce(s.c${index}, now())` : `s.c${index}`,
  )
  return query(
    database,
    sql`INSERT INTO ${raw(tableName(entity.key))} (${raw(columns.map(quoted).join(', '))}) SELECT ${raw(values.join(', '))} FROM ${rowsAs(columns, rows)}`,
  )
}

/** Writes these columns of the records that differ in them, and answers with how many did. */
export const updateRows = async (
  database: Queryable,
  {
    entity,
    columns: [id, ...columns],
    rows,
  }: { entity: Entity; columns: readonly [Column, ...Column[]]; rows: readonly Row[] },
): Promise<number> => {
  if (columns.length === 0) return 0
  const given = new Set(columns.map(({ name }) => name))
  const sets = columns.map((column, index) => `${quoted(column)} = s.c${index + 1}`)
  // The seed says that it is so, not who made it so.
  if (!given.has('_updated_by')) sets.push('_updated_by = NULL')
  if (!given.has('_updated_at')) sets.push('_updated_at = now()')
  const differs = columns.map((column, index) => {
    // PostgreSQL compares json as text only.
    const text = column.type.comparison === 'none' ? '::text' : ''
    return `t.${quoted(column)}${text} IS DISTINCT FROM s.c${index + 1}${text}`
  })
  const result = await database.query(
    toStatement(
      sql`UPDATE ${raw(tableName(entity.key))} t SET ${raw(sets.join(', '))}, _version = t._version + 1 FROM ${rowsAs([id, ...columns], rows)} WHERE t.id = s.c0 AND (${raw(differs.join(' OR '))})`,
    ),
  )
  return result.rowCount ?? 0
}

/** The rows whose values another record has; each row begins with the id of its own record. */
export const findTaken = (
  database: Queryable,
  {
    entity,
    columns: [id, ...columns],
    rows,
  }: { entity: Entity; columns: readonly [Column, ...Column[]]; rows: readonly Row[] },
) => {
  const same = columns.map((column, index) => raw(`t.${quoted(column)} = s.c${index + 1}`))
  return query<{ n: number; id: number }>(
    database,
    sql`SELECT s.n, min(t.id) AS id FROM ${rowsAs([id, ...columns], rows)} JOIN ${raw(tableName(entity.key))} t ON ${join(same, ' AND ')} WHERE NOT t._is_deleted AND t.id <> s.c0 GROUP BY s.n`,
  )
}

/** Whether an entity has no more records than `besides`, removed ones counted. */
export const hasNoRecords = async (database: Queryable, entity: Entity, besides = 0) => {
  const rows = await query(
    database,
    sql`SELECT FROM ${raw(tableName(entity.key))} OFFSET ${bound(besides, 'integer')} LIMIT 1`,
  )
  return rows.length === 0
}
