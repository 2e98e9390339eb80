/**
 * Decides whether an export is divided, and finds its ranges one after the other. A range is as many keys as fill a few
 * megabytes, counted in the index: so gaps between the keys and their distribution do not matter.
 */
import { type Connection, queryOnce, queryRow } from '../database/pool.ts'
import { bigint, bound, nothing, raw, type Sql, sql, text, toLiteralText } from '../database/sql.ts'
import type { CopyPlan, ExportTask, RangeKey } from './export-task.ts'

/** Some values of the key, as PostgreSQL prints them; together the ranges of an export have every record once. */
export type KeyRange =
  | { readonly kind: 'all' }
  /** What follows `after` in the order, up to `upTo`; undefined: from its beginning, to its end. */
  | {
      readonly kind: 'values'
      readonly after: string | undefined
      readonly upTo: string | undefined
      /** About how many keys it has, if that is known. */
      readonly keys?: number
    }
  | { readonly kind: 'nulls' }

const rangeSelect = (
  { select: [before, after] }: CopyPlan,
  key: RangeKey | undefined,
  range: KeyRange,
): string => `${before}${toLiteralText(key ? conditionOf(key, range) : sql`true`)}${after}`

export const rangeCopy = (copy: CopyPlan, key: RangeKey | undefined, range: KeyRange): string =>
  `COPY (${rangeSelect(copy, key, range)}) TO STDOUT WITH (${copy.options})`

const conditionOf = (key: RangeKey, range: KeyRange): Sql => {
  const column = raw(key.column)
  if (range.kind === 'all') return sql`true`
  if (range.kind === 'nulls') return sql`${column} IS NULL`
  const { after, upTo } = range
  const last = raw(key.isDescending ? '>=' : '<=')
  if (upTo === undefined) return beyond(key, after)
  return sql`${beyond(key, after)} AND ${column} ${last} ${bound(upTo, key.cast)}`
}

const beyond = (key: RangeKey, after: string | undefined): Sql => {
  const column = raw(key.column)
  if (after === undefined) return sql`${column} IS NOT NULL`
  return sql`${column} ${raw(key.isDescending ? '<' : '>')} ${bound(after, key.cast)}`
}

/** Finds the key that is so many keys further on; no row when fewer follow. */
const keyFurtherOn = (key: RangeKey, after: string | undefined, keys: number): Sql => {
  const column = raw(key.column)
  const stored = key.isPartial ? sql` AND NOT t._is_deleted` : nothing
  return sql`
SELECT ${column}::text AS key
FROM ${raw(key.table)} t
WHERE ${beyond(key, after)}${stored}
ORDER BY ${column}${raw(key.isDescending ? ' DESC' : '')}
OFFSET ${bound(keys - 1, 'bigint')} LIMIT 1`
}

const pageBytes = 8_192
// Smaller tables are exported in the time that a second connection needs to begin.
const minPages = 2_048
// Each range costs some milliseconds to begin; the bytes of those that are not sent yet are in memory.
const rangeBytes = 4_194_304
// Of the table, so that the first rows come soon.
const firstRangeBytes = 1_048_576
const [minKeys, maxKeys] = [100, 200_000]
// The planner's costs are estimates. A range that reads more than its part costs what other requests need.
const maxCost = 2
const minRanges = 4

/** The ranges of the task; undefined when one statement for all rows costs less, as PostgreSQL estimates. */
export const divideTask = async (
  connection: Connection,
  { copy, rangeKey }: ExportTask,
): Promise<KeyRanges | undefined> => {
  if (!rangeKey) return undefined
  const { pages, records, isCached } = await readSize(connection, rangeKey)
  if (pages < minPages) return undefined
  const keys = withinKeys((records * firstRangeBytes) / (pages * pageBytes))
  const upTo = await findKey(connection, rangeKey, undefined, keys)
  if (upTo === undefined) return undefined
  const plannedAs = isCached ? { ...inOneProcess, ...fromMemory } : inOneProcess
  await setLocal(connection, plannedAs)
  const all = await estimate(connection, rangeSelect(copy, rangeKey, { kind: 'all' }))
  const first = { kind: 'values', after: undefined, upTo } as const
  const part = await estimate(connection, rangeSelect(copy, rangeKey, first))
  const isWorthIt =
    all.rows >= minRanges * keys && part.cost * (records / keys) <= maxCost * all.cost
  if (isWorthIt) return new KeyRanges({ key: rangeKey, keys, upTo, plannedAs })
  await setLocal(connection, defaultsOf(plannedAs))
  return undefined
}

type PlannerSettings = Readonly<Record<string, number | 'DEFAULT'>>

// Parallel plans would take more processes than there are connections.
const inOneProcess: PlannerSettings = { max_parallel_workers_per_gather: 0 }
// As PostgreSQL recommends for data in memory: else it would read the table once for each range to spare jumps.
const fromMemory: PlannerSettings = { seq_page_cost: 0.01, random_page_cost: 0.01 }

const defaultsOf = (settings: PlannerSettings): PlannerSettings =>
  Object.fromEntries(Object.keys(settings).map((name) => [name, 'DEFAULT']))

/** Sets them until the end of the transaction. */
export const setLocal = async (
  connection: Connection,
  settings: PlannerSettings,
): Promise<void> => {
  const statements = Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = ${value}`)
  await connection.query(statements.join('; '))
}

const withinKeys = (keys: number): number => Math.round(Math.min(maxKeys, Math.max(minKeys, keys)))

type TableSize = {
  readonly pages: number
  readonly records: number
  /** Whether it is so small that PostgreSQL expects to find it in memory. */
  readonly isCached: boolean
}

/** As it was when PostgreSQL last counted it; a table that was never counted has no pages. */
const readSize = async (connection: Connection, { table }: RangeKey) => {
  const found = await queryRow<TableSize>(
    connection,
    sql`
SELECT c.relpages + coalesce(large.relpages, 0) AS pages, greatest(c.reltuples, 1)::bigint AS records,
  c.relpages * ${bigint(pageBytes)} < pg_size_bytes(current_setting('effective_cache_size')) / 4 AS "isCached"
FROM pg_class c LEFT JOIN pg_class large ON large.oid = c.reltoastrelid
WHERE c.oid = to_regclass(${text(table)})`,
  )
  return found ?? { pages: 0, records: 1, isCached: true }
}

const findKey = async (
  connection: Connection,
  key: RangeKey,
  after: string | undefined,
  keys: number,
): Promise<string | undefined> => {
  const [found] = await queryOnce<{ key: string }>(connection, keyFurtherOn(key, after, keys))
  return found?.key
}

/** As the planner of PostgreSQL estimates it. */
const estimate = async (connection: Connection, select: string) => {
  // Its text has the values of the request, which no trace may show.
  const { rows } = await connection.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN (FORMAT JSON) ${select}`,
  )
  const [row] = rows
  const [{ Plan: plan }] = JSON.parse(row?.['QUERY PLAN'] ?? '') as [{ Plan: Estimated }]
  return { cost: plan['Total Cost'], rows: plan['Plan Rows'] }
}

type Estimated = { readonly 'Total Cost': number; readonly 'Plan Rows': number }

const nulls: KeyRange = { kind: 'nulls' }

type Begun = {
  readonly key: RangeKey
  /** How many keys the first range has, and its last one. */
  readonly keys: number
  readonly upTo: string
  readonly plannedAs: PlannerSettings
}

/** The ranges of an export in its order. */
export class KeyRanges {
  readonly plannedAs: PlannerSettings
  readonly #key: RangeKey
  /** Ranges that are known and not given yet. */
  readonly #known: KeyRange[]
  readonly #recent = { bytes: 0, keys: 0 }
  #keys: number
  #after: string | undefined

  constructor({ key, keys, upTo, plannedAs }: Begun) {
    this.plannedAs = plannedAs
    this.#key = key
    this.#keys = keys
    this.#after = upTo
    const first: KeyRange = { kind: 'values', after: undefined, upTo, keys }
    this.#known = key.mayBeNull && key.isDescending ? [nulls, first] : [first]
  }

  /** The next one, found on a connection that is idle; undefined: there are no more. */
  async next(connection: Connection): Promise<KeyRange | undefined> {
    const known = this.#known.shift()
    if (known) return known
    const [after, keys] = [this.#after, this.#keys]
    if (after === undefined) return undefined
    const upTo = await findKey(connection, this.#key, after, keys)
    this.#after = upTo
    if (upTo !== undefined) return { kind: 'values', after, upTo, keys }
    // PostgreSQL sorts null after every value.
    if (this.#key.mayBeNull && !this.#key.isDescending) this.#known.push(nulls)
    return { kind: 'values', after, upTo }
  }

  /** So many bytes had the rows of a range: the next ones get as many keys as fill theirs. */
  learn(range: KeyRange, bytes: number): void {
    if (range.kind !== 'values' || range.keys === undefined) return
    this.#recent.keys = this.#recent.keys / 2 + range.keys
    this.#recent.bytes = this.#recent.bytes / 2 + bytes
    this.#keys = withinKeys((rangeBytes * this.#recent.keys) / Math.max(1, this.#recent.bytes))
  }
}
