/**
 * Statements of seeding: what the database has, and the writes of new records and of records that differ from their
 * rows, each set in one statement.
 */
import { theService } from '../auth/caller.ts'
import { sameIndexed } from '../database/compared-values.ts'
import { type Queryable, queryOnce } from '../database/pool.ts'
import {
  anyOf,
  bigint,
  bound,
  int,
  ints,
  join,
  notDeleted,
  raw,
  ref,
  type Sql,
  sql,
  table,
  tableName,
  text,
} from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import { isPartOfRecord } from '../definitions/native-entities.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { insertHistory, isHistoryOf } from '../records/history.ts'
import { changesBetween, differs } from '../records/write/write-statements.ts'
import { indexOf } from './unique-values.ts'

export type Row = readonly SqlValue[]

/** Lets one process at a time seed; others wait for the end of its transaction. */
export const lockSeeding = (database: Queryable) =>
  queryOnce(database, sql`SELECT pg_advisory_xact_lock(hashtextextended('docket.seeding', 0))`)

/** Blocks other writers of an entity until the transaction ends; readers continue. */
export const lockEntity = (database: Queryable, entity: Entity) =>
  queryOnce(database, sql`LOCK TABLE ${table(entity)} IN SHARE ROW EXCLUSIVE MODE`)

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

type Identified = { readonly id: number; readonly is_deleted: boolean }

/** The records with these values by position, from 0: one that is not removed, otherwise the newest. */
export const findIds = async (
  database: Queryable,
  {
    target,
    by,
    values,
  }: { readonly target: Entity; readonly by: Column; readonly values: readonly SqlValue[] },
): Promise<ReadonlyMap<number, Identified>> => {
  const rows = rowsAs(
    [by],
    values.map((value) => [value]),
  )
  const same = sameIndexed(indexOf(target, [by]), by.name, ref(by.name, 't'), ref('c0', 's'))
  // The last one wins.
  const found = await queryOnce<Identified & { n: number }>(
    database,
    sql`SELECT s.n, t.id, t._is_deleted AS is_deleted
      FROM ${rows} JOIN ${table(target)} t ON ${same}
      ORDER BY t._is_deleted DESC, t.id`,
  )
  return new Map(found.map(({ n, ...record }) => [n - 1, record]))
}

/** Some values of a unique text column, for suggestions. */
export const listValues = async (database: Queryable, target: Entity, by: Column) =>
  (
    await queryOnce<{ value: string }>(
      database,
      sql`
        SELECT ${ref(by.name)} AS value
        FROM ${table(target)}
        WHERE NOT _is_deleted AND ${ref(by.name)} IS NOT NULL
        LIMIT 2000`,
    )
  ).map(({ value }) => value)

export type Found = {
  readonly n: number
  readonly id: number
  readonly is_deleted: boolean
  /** Whether a user has written it, by its history. */
  readonly is_changed_by_people: boolean
}

/** Whether a user has written the record `t`: seeds write history without a user. */
const isChangedByPeople = (entity: Entity): Sql => sql`EXISTS (
  SELECT FROM docket.history h
  WHERE ${isHistoryOf(entity, sql`t.id`)} AND h.user_id IS NOT NULL
)`

type Changed = { readonly id: number; readonly is_deleted: boolean }

/** Locks these records until the transaction ends, then finds those that users have written. */
export const lockAndFindChanged = async (
  database: Queryable,
  entity: Entity,
  ids: readonly number[],
): Promise<Changed[]> => {
  const these = sql`FROM ${table(entity)} t WHERE t.id = ANY (${ints(ids)})`
  await queryOnce(database, sql`SELECT ${these} ORDER BY t.id FOR NO KEY UPDATE OF t`)
  // Separate from the next statement, which must see what others committed while this one waited for
  // locks.
  return queryOnce<Changed>(
    database,
    sql`SELECT t.id, t._is_deleted AS is_deleted ${these} AND ${isChangedByPeople(entity)}`,
  )
}

/** Every record with one of these keys, including removed ones, the newest last. */
export const findByKey = (
  database: Queryable,
  { entity, key, rows }: { entity: Entity; key: readonly Column[]; rows: readonly Row[] },
) => {
  const index = indexOf(entity, key)
  const same = key.map(({ name }, at) =>
    sameIndexed(index, name, ref(name, 't'), ref(`c${at}`, 's')),
  )
  return queryOnce<Found>(
    database,
    sql`SELECT s.n, t.id, t._is_deleted AS is_deleted, ${isChangedByPeople(entity)} AS is_changed_by_people
      FROM ${rowsAs(key, rows)} JOIN ${table(entity)} t ON ${join(same, ' AND ')}
      ORDER BY t.id`,
  )
}

/** Moves the sequence of ids past `past`, then reserves new ids. */
export const reserveIds = async (
  database: Queryable,
  { entity, past, count }: { entity: Entity; past: number; count: number },
): Promise<number[]> => {
  const sequence = sql`pg_get_serial_sequence(${text(tableName(entity.key))}, 'id')::regclass`
  if (past > 0)
    await queryOnce(
      database,
      sql`
        SELECT setval(q.s, ${bigint(past)})
        FROM (SELECT ${sequence} AS s) q
        WHERE coalesce(pg_sequence_last_value(q.s), 0) < ${bigint(past)}`,
    )
  const rows = await queryOnce<{ id: number }>(
    database,
    sql`SELECT nextval(${sequence}) AS id FROM generate_series(1, ${int(count)})`,
  )
  return rows.map(({ id }) => id)
}

/** Whether an entity has at most `besides` records, including removed ones. */
export const hasNoRecords = async (database: Queryable, entity: Entity, besides = 0) => {
  const rows = await queryOnce(
    database,
    sql`SELECT FROM ${table(entity)} OFFSET ${int(besides)} LIMIT 1`,
  )
  return rows.length === 0
}

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
    author: theService,
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
  const index = indexOf(entity, columns)
  const same = columns.map(({ name }, at) =>
    sameIndexed(index, name, ref(name, 't'), ref(`c${at + 1}`, 's')),
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
