/**
 * The records of a file as rows of two temporary tables: `seed_row` as they are in the file, then `seed_record` with the ids of the records
 * that they link to, and of the record that each of them is. What is checked and written afterwards are statements on the second one.
 */
import { indexedValue, sameIndexed } from '../database/compared-values.ts'
import { copiedValue, copyIn } from '../database/copy.ts'
import { type Queryable, queryOnce } from '../database/pool.ts'
import {
  allOf,
  bigint,
  ints,
  join,
  nothing,
  raw,
  ref,
  type Sql,
  sql,
  table,
  tableName,
  text,
} from '../database/sql.ts'
import { type Catalog, type Column, type Entity, getEntity } from '../definitions/catalog.ts'
import { isFollowing } from '../definitions/native-entities.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { isHistoryOf } from '../records/history.ts'
import { followingValueOf } from './checks/check-records.ts'
import type { Reference, SeedFile, SeedRecord } from './files/seed.ts'
import { fileSlots, identifyFiles } from './keep-files.ts'
import { asIndexed, columnsOf, indexOf } from './unique-values.ts'

/** A column that a record of the file gives: its value in the row `v`, and whether that row gives it. */
export type GivenColumn = { readonly column: Column; readonly value: Sql; readonly isGiven: Sql }

/** By what records of the file name a linked record; its columns of the tables end with its number. */
export type Way = {
  readonly at: number
  readonly column: Column
  readonly by: Column
  readonly target: Entity
}

export type SeedRows = {
  readonly seed: SeedFile
  readonly records: readonly SeedRecord[]
  readonly ways: readonly Way[]
  readonly given: readonly GivenColumn[]
  /** What a new record has in a column that follows from others. */
  readonly following: ReadonlyMap<Column, Sql>
  /** Whether records give fields of files. */
  readonly hasFiles: boolean
}

type Loading = {
  readonly connection: Queryable
  readonly catalog: Catalog
  readonly seed: SeedFile
  /** The columns that identify records. */
  readonly key: readonly Column[]
}

/** Puts the records into the tables. */
export const loadRows = async (
  loading: Loading,
  records: readonly SeedRecord[],
): Promise<SeedRows> => {
  const { connection, catalog, seed, key } = loading
  const { entity } = seed
  const ways = waysOf(catalog, records)
  const plain = entity.columns.filter(
    (column) => column.name !== 'id' && records.some(({ values }) => values.has(column)),
  )
  const following = entity.columns.filter(({ name }) => isFollowing(entity.key, name))
  const shapes = shapesOf(records)
  await copyRecords(loading, { records, ways, plain, following, shapes })
  const given = givenColumns({ ways, plain, shapes: shapes.sets })
  const requested = records.map((record) => requestedId(entity, record))
  const past = requested.reduce<number>((highest, id) => Math.max(highest, id ?? 0), 0)
  if (past > 0) await reserveIds(connection, entity, past)
  await identify(loading, { ways, given })
  const slots = fileSlots(plain)
  if (slots.length > 0) await identifyFiles(connection, entity, slots)
  for (const way of ways.filter((one) => isOwn(entity, key, one)))
    await queryOnce(
      connection,
      sql`
        UPDATE pg_temp.seed_record v
        SET ${slot('l', way)} = o.id, ${slot('d', way)} = o.is_changed AND o.is_removed
        FROM pg_temp.seed_record o
        WHERE o.n = v.${slot('o', way)}`,
    )
  const values = following.map((column, at) => [column, raw(`v.f${at}`)] as const)
  return { seed, records, ways, given, following: new Map(values), hasFiles: slots.length > 0 }
}

export const dropRows = (connection: Queryable): Promise<unknown> =>
  queryOnce(
    connection,
    sql`DROP TABLE IF EXISTS pg_temp.seed_row, pg_temp.seed_record, pg_temp.seed_file`,
  )

const slot = (letter: 'k' | 'o' | 'l' | 'd', { at }: Way): Sql => raw(`${letter}${at}`)

/** In the row `v`: what names a linked record that was not found. */
export const isLost = (way: Way): Sql =>
  sql`(v.${slot('k', way)} IS NOT NULL AND v.${slot('l', way)} IS NULL)`

/** In the row `v`: whether the linked record was removed; users who wrote a record may have been. */
export const leadsToRemoved = (way: Way): Sql =>
  way.column.isSystem ? sql`false` : sql`coalesce(v.${slot('d', way)}, false)`

/** Links within the file lead to its own rows, which are there before they have ids; those of the key must be there before. */
const isOwn = (entity: Entity, key: readonly Column[], { column, target }: Way): boolean =>
  target === entity && !key.includes(column)

const waysOf = (catalog: Catalog, records: readonly SeedRecord[]): Way[] => {
  const ways = new Map<string, Way>()
  for (const { references } of records)
    for (const { column, by } of references) {
      const name = `${column.name} ${by.name}`
      if (ways.has(name)) continue
      ways.set(name, { at: ways.size, column, by, target: getEntity(catalog, column.target ?? '') })
    }
  return [...ways.values()]
}

type Shapes = { readonly of: readonly number[]; readonly sets: readonly ReadonlySet<Column>[] }

/** Which columns each record gives: as few sets as there are. */
const shapesOf = (records: readonly SeedRecord[]): Shapes => {
  const known = new Map<string, number>()
  const sets: ReadonlySet<Column>[] = []
  const of = records.map(({ values, references }) => {
    const columns = [...values.keys(), ...references.map(({ column }) => column)]
    const name = columns.map((column) => column.name).join(' ')
    const shape = known.get(name) ?? sets.push(new Set(columns)) - 1
    known.set(name, shape)
    return shape
  })
  return { of, sets }
}

const requestedId = ({ columnsByName }: Entity, { values }: SeedRecord): number | undefined => {
  const column = columnsByName.get('id')
  const id = column && values.get(column)
  return typeof id === 'number' ? id : undefined
}

type Copied = {
  readonly records: readonly SeedRecord[]
  readonly ways: readonly Way[]
  readonly plain: readonly Column[]
  readonly following: readonly Column[]
  readonly shapes: Shapes
}

const chunkLength = 100_000

const copyRecords = async (
  { connection, seed: { entity }, key }: Loading,
  { records, ways, plain, following, shapes }: Copied,
): Promise<void> => {
  const slots: [name: string, type: string][] = [
    ['n', 'integer'],
    ['shape', 'integer'],
    ['requested', 'integer'],
    ...plain.map(({ type }, at): [string, string] => [`v${at}`, type.sqlType()]),
    ...following.map(({ type }, at): [string, string] => [`f${at}`, type.sqlType()]),
    ...ways.flatMap(({ at, by }): [string, string][] => [
      [`k${at}`, by.type.sqlType()],
      [`o${at}`, 'integer'],
    ]),
  ]
  const typed = raw(slots.map((one) => one.join(' ')).join(', '))
  await queryOnce(connection, sql`CREATE TEMP TABLE seed_row (${typed}) ON COMMIT DROP`)
  const names = slots.map(([name]) => name).join(', ')
  const copying = await copyIn(connection, `COPY pg_temp.seed_row (${names}) FROM STDIN`)
  const own = ways.map((way) =>
    isOwn(entity, key, way) ? rowsByValue(entity, way.by, records) : undefined,
  )
  const cellsOf = ({ references }: SeedRecord, { at, column, by, target }: Way): SqlValue[] => {
    const value = references.find((one) => one.column === column && one.by === by)?.value ?? null
    return [value, own[at]?.get(asIndexed(indexOf(target, [by]), by, value)) ?? null]
  }
  let lines = ''
  for (const [n, record] of records.entries()) {
    const cells = [
      ...[n, shapes.of[n] ?? 0, requestedId(entity, record) ?? null],
      ...plain.map((column) => record.values.get(column) ?? null),
      ...following.map((column) => followingValueOf(entity, column, record.values)),
      ...ways.flatMap((way) => cellsOf(record, way)),
    ]
    lines += `${cells.map(copiedValue).join('\t')}\n`
    if (lines.length < chunkLength) continue
    await copying.write(Buffer.from(lines))
    lines = ''
  }
  await copying.write(Buffer.from(lines))
  await copying.end()
}

/** The rows of the file by a unique value; one that is not removed takes precedence over a removed one. */
const rowsByValue = (
  entity: Entity,
  by: Column,
  records: readonly SeedRecord[],
): ReadonlyMap<SqlValue, number> => {
  const rows = new Map<SqlValue, number>()
  const [removed] = columnsOf(entity, ['_is_deleted'])
  for (const [n, { values }] of records.entries()) {
    const value = asIndexed(indexOf(entity, [by]), by, values.get(by) ?? null)
    const isRemoved = removed !== undefined && values.get(removed) === true
    if (value !== null && !(isRemoved && rows.has(value))) rows.set(value, n)
  }
  return rows
}

const givenColumns = ({
  ways,
  plain,
  shapes,
}: Pick<Copied, 'ways' | 'plain'> & {
  readonly shapes: Shapes['sets']
}): GivenColumn[] => {
  const columns = new Set([...plain, ...ways.map(({ column }) => column)])
  return [...columns].map((column) => {
    const naming = shapes.flatMap((set, shape) => (set.has(column) ? [shape] : []))
    const isNamed =
      naming.length === shapes.length ? sql`true` : sql`v.shape = ANY (${ints(naming)})`
    const own = ways.filter((way) => way.column === column)
    if (own.length === 0)
      return { column, value: raw(`v.v${plain.indexOf(column)}`), isGiven: isNamed }
    const value = sql`coalesce(${join(
      own.map((way) => sql`v.${slot('l', way)}`),
      ', ',
    )})`
    // A record that exists keeps its link if the other one was removed since.
    const kept = own.map((way) => sql`NOT (v.match IS NOT NULL AND ${leadsToRemoved(way)})`)
    return { column, value, isGiven: column.isSystem ? isNamed : allOf([isNamed, ...kept]) }
  })
}

/** No other writer may use these ids, and new ones are above them. */
const reserveIds = async (connection: Queryable, entity: Entity, past: number): Promise<void> => {
  await queryOnce(connection, sql`LOCK TABLE ${table(entity)} IN SHARE ROW EXCLUSIVE MODE`)
  await queryOnce(
    connection,
    sql`
      SELECT setval(q.s, ${bigint(past)})
      FROM (SELECT ${sequenceOf(entity)} AS s) q
      WHERE coalesce(pg_sequence_last_value(q.s), 0) < ${bigint(past)}`,
  )
}

const sequenceOf = (entity: Entity): Sql =>
  sql`pg_get_serial_sequence(${text(tableName(entity.key))}, 'id')::regclass`

/** Whether a user has written the record `t`: seeds write history without a user. */
export const isChangedByPeople = (entity: Entity): Sql => sql`EXISTS (
  SELECT FROM docket.history h
  WHERE ${isHistoryOf(entity, sql`t.id`)} AND h.user_id IS NOT NULL
)`

/** Finds linked records: one that is not removed, otherwise the newest. */
const linked = (way: Way): { readonly joins: Sql; readonly cells: Sql } => {
  const { at, by, target } = way
  const [live, gone] = [raw(`live${at}`), raw(`gone${at}`)]
  const [id, isRemoved] = [slot('l', way), slot('d', way)]
  const key = sql`v.${slot('k', way)}`
  if (by.name === 'id')
    return {
      joins: sql`LEFT JOIN ${table(target)} ${live} ON ${live}.id = ${key}`,
      cells: sql`${live}.id AS ${id}, ${live}._is_deleted AS ${isRemoved}`,
    }
  const index = indexOf(target, [by])
  const compared = (cell: Sql) => indexedValue(index, by.name, cell)
  const name = ref(by.name)
  return {
    joins: sql`
      LEFT JOIN ${table(target)} ${live}
        ON ${compared(sql`${live}.${name}`)} = ${compared(key)} AND NOT ${live}._is_deleted
      LEFT JOIN (
        SELECT max(r.id) AS id, ${compared(sql`r.${name}`)} AS key
        FROM ${table(target)} r
        WHERE r._is_deleted
        GROUP BY 2
      ) ${gone} ON ${live}.id IS NULL AND ${gone}.key = ${compared(key)}`,
    cells: sql`coalesce(${live}.id, ${gone}.id) AS ${id},
      ${live}.id IS NULL AND ${gone}.id IS NOT NULL AS ${isRemoved}`,
  }
}

/**
 * Finds the record that each row is, by the key: `match`, whether it `is_removed`, and `is_changed` by users; null is a new one. `id` is its
 * own, or a new one. Records that users removed are found, so that they are not inserted again; others only by their id.
 */
const identify = async (
  { connection, seed: { entity }, key }: Loading,
  { ways, given }: Pick<SeedRows, 'ways' | 'given'>,
): Promise<void> => {
  const index = indexOf(entity, key)
  const givenValue = (name: string) => given.find(({ column }) => column.name === name)?.value
  const same = key.map(({ name, type }) =>
    sameIndexed(index, name, ref(name, 't'), givenValue(name) ?? raw(`NULL::${type.sqlType()}`)),
  )
  const removed = givenValue('_is_deleted')
  const isRemoved = removed ? sql`coalesce(${removed}, false)` : sql`false`
  const links = ways.map(linked)
  const cells = join([raw('v.*'), ...links.map((link) => link.cells)], ', ')
  await queryOnce(
    connection,
    sql`
      CREATE TEMP TABLE seed_record ON COMMIT DROP AS
      WITH linked AS MATERIALIZED (
        SELECT ${cells}
        FROM pg_temp.seed_row v ${
          links.length > 0
            ? join(
                links.map(({ joins }) => joins),
                ' ',
              )
            : nothing
        }
      ),
      found AS (
        SELECT DISTINCT ON (v.n) v.n, t.id, t._is_deleted AS is_removed, h.is_changed, ${isRemoved} AS removes
        FROM linked v
        JOIN ${table(entity)} t ON ${allOf(same)}
        CROSS JOIN LATERAL (SELECT ${isChangedByPeople(entity)} AS is_changed) h
        WHERE ${isRemoved} OR NOT t._is_deleted OR t.id = v.requested OR h.is_changed
        ORDER BY v.n, NOT (${isRemoved} OR t._is_deleted) DESC, coalesce(t.id = v.requested, false) DESC,
          t._is_deleted DESC, t.id DESC
      ),
      claimed AS (
        SELECT f.*, row_number() OVER (PARTITION BY f.id ORDER BY f.removes, f.n) AS place FROM found f
      )
      SELECT r.*, coalesce(r.match, r.requested, nextval(${sequenceOf(entity)}))::integer AS id
      FROM (
        SELECT v.*, c.id AS match, coalesce(c.is_removed, false) AS is_removed,
          coalesce(c.is_changed, false) AS is_changed
        FROM linked v
        LEFT JOIN claimed c ON c.n = v.n AND c.place = 1
        ORDER BY v.n
      ) r`,
  )
}

/** The reference of a record that a way is. */
export const referenceOf = ({ references }: SeedRecord, way: Way): Reference | undefined =>
  references.find(({ column, by }) => column === way.column && by === way.by)
