/** Compares records with rules that changed since the last sync. */
import { indexedValue, inLowerCase } from '../../database/compared-values.ts'
import { type Queryable, queryCount, queryRows } from '../../database/pool.ts'
import {
  identifier,
  join,
  notDeleted,
  ref,
  type Sql,
  sql,
  table,
  tableName,
} from '../../database/sql.ts'
import { type Catalog, type Column, type Entity, uniqueIndexes } from '../../definitions/catalog.ts'
import { earlierKeys } from '../../definitions/earlier-keys.ts'
import { blocked, type Change, counted, during, printSql, safe } from '../diff/change.ts'
import { type Schema, storedColumn, storedTable, type TableSchema } from '../diff/schema.ts'
import { fittingSql } from '../diff/type-change.ts'
import type { ComparedRule, Rename, SyncHistory } from '../renames/sync-history.ts'
import {
  type ComparedColumn,
  compareValues,
  type TimeBudget,
  timeBudget,
} from './compare-limits.ts'
import { compareWords, declaredRenames, successorsOf, type Words } from './compare-words.ts'
import { ruleDigest, rulesOf } from './field-rules.ts'
import { type MovedWords, tellsInputs } from './find-duplicates.ts'

type SyncOptions = {
  readonly catalog: Catalog
  /** The actual schema with its future names. */
  readonly schema: Schema
  readonly history: SyncHistory
  readonly timeZone: string
  /** Time limit of all comparisons together. */
  readonly compareMs: number
}

type Compared = {
  readonly changes: readonly Change[]
  readonly renames: readonly Rename[]
  /** Rules that apply from now on. */
  readonly rules: readonly ComparedRule[]
}

const nothing: Compared = { changes: [], renames: [], rules: [] }

/** One scan of a table for each changed rule; steps are checked each time, by their index. */
export const compareRecords = async (
  database: Queryable,
  options: SyncOptions,
): Promise<Compared> => {
  const budget = timeBudget(options.compareMs)
  const all: Compared[] = []
  for (const entity of options.catalog.entities.values()) {
    const actual = options.schema.get(entity.key)
    for (const column of entity.columns)
      all.push(await compareColumn(database, options, { entity, column, actual, budget }))
  }
  return {
    changes: all.flatMap(({ changes }) => changes),
    renames: all.flatMap(({ renames }) => renames),
    rules: all.flatMap(({ rules }) => rules),
  }
}

/** The words of every column that become others; `new`: only those that records may still hold. */
export const movedWords =
  (catalog: Catalog, history: SyncHistory, which: 'all' | 'new'): MovedWords =>
  (table, name) => {
    const entity = catalog.entities.get(table)
    const column = entity?.columnsByName.get(name)
    const own = entity && column && wordsIn(entity, column)
    if (!own) return new Map()
    const [latest] = history.rules.filter(
      ({ entityKey, columnName }) => entityKey === table && columnName === name,
    )
    return which === 'new' && latest?.digest === ruleDigest(own)
      ? new Map()
      : successorsOf(history, { ...own, column: name, actual: emptyTable(table) })
  }

type Place = {
  readonly entity: Entity
  readonly column: Column
  readonly actual: TableSchema | undefined
  readonly budget: TimeBudget
}

const compareColumn = async (
  database: Queryable,
  { history, timeZone, compareMs }: SyncOptions,
  { entity, column, actual, budget }: Place,
): Promise<Compared> => {
  const own = wordsIn(entity, column)
  const rules = rulesOf(column, timeZone)
  if (!own && rules.length === 0) return nothing
  const digest = ruleDigest(own ?? rules)
  const rule = { entityKey: entity.key, columnName: column.name, digest }
  const earlier = history.rules.filter(
    (one) => one.entityKey === rule.entityKey && one.columnName === rule.columnName,
  )
  const isInForce = earlier[0]?.digest === digest
  const words = own && {
    ...own,
    column: column.name,
    actual: actual ?? emptyTable(entity.key),
    isKnown: earlier.some((one) => one.digest === digest),
  }
  const renames = words ? declaredRenames(history, words) : []
  const compared = isInForce ? [] : [rule]
  const stored = actual?.columns.find(({ name }) => name === column.name)
  // New columns hold nothing yet.
  if (!actual || !stored) return { changes: [], renames, rules: compared }
  const types = { from: stored.type, to: column.type.sqlType(), timeZone }
  const isConverted = types.from !== types.to
  if (isInForce && !isConverted && words?.kind !== 'step')
    return { changes: [], renames, rules: compared }
  const tells = isConverted && (await tellsInputs(database))
  const cellOf = (cell: Sql): Sql => (isConverted ? fittingSql(types, cell, tells) : cell)
  const found = await budget.within(database, () =>
    words
      ? compareWords(database, history, {
          ...words,
          cellOf,
          isKnown: words.isKnown && !isConverted,
        }).then((changes) => ({ changes, isRepeated: false }))
      : compareField(database, { entity, column, actual, timeZone, budget, cellOf }),
  )
  if (found) return { changes: found.changes, renames, rules: found.isRepeated ? [] : compared }
  return { changes: [notCompared(entity.key, column.name, compareMs)], renames, rules: [] }
}

type ComparedField = ComparedColumn & { readonly entity: Entity }

const compareField = async (database: Queryable, options: ComparedField) => {
  const { changes, isRepeated } = await compareValues(database, options)
  const lowered = options.column.type.isLowerCase ? await lowerCased(database, options) : []
  return { changes: [...changes, ...lowered], isRepeated }
}

type OwnWords = Pick<Words, 'kind' | 'words' | 'earlier' | 'fallback'>

const wordsIn = ({ definition }: Entity, { name, field }: Column): OwnWords | undefined => {
  const { workflow } = definition
  if (name === '_step' && workflow)
    return {
      kind: 'step',
      words: workflow.steps.map(({ key }) => key),
      earlier: Object.fromEntries(
        workflow.steps.flatMap(({ key, was }) =>
          was === undefined ? [] : [[key, earlierKeys(was)]],
        ),
      ),
      fallback: workflow.initialStep,
    }
  if (field.type !== 'enum') return undefined
  return {
    kind: 'value',
    words: field.values,
    earlier: field.earlierValues ?? {},
    fallback: field.default ?? field.values[0] ?? '',
  }
}

const emptyTable = (name: string): TableSchema => ({
  name,
  columns: [],
  indexes: [],
  foreignKeys: [],
  checks: [],
})

const notCompared = (table: string, column: string, ms: number): Change => ({
  kind: 'warning',
  sql: `SELECT id, ${identifier(column)} FROM ${tableName(table)}`,
  reason: `the records of ${table} could not be compared with the new rule of ${column} within ${Math.round(ms / 1000)} s; "docket migrate" has no time limit for it`,
})

/** The change of the values; blocked by records that differ in nothing but their case, all of which it names. */
const lowerCased = async (database: Queryable, options: ComparedField): Promise<Change[]> => {
  const { entity, column, actual, cellOf } = options
  const stored = table(storedTable(actual))
  const cell = cellOf(ref(storedColumn(actual, column.name), 't'))
  const count = await queryCount(
    database,
    sql`SELECT count(*) AS count FROM ${stored} t WHERE ${cell} <> ${inLowerCase(cell)}`,
  )
  if (count === 0) return []
  const own = ref(column.name)
  const statement = printSql(sql`
    UPDATE ${table(actual.name)}
    SET ${own} = ${inLowerCase(own)}, _version = _version + 1
    WHERE ${own} <> ${inLowerCase(own)}`)
  const of = `${column.name} of ${actual.name}`
  const same = await findSame(database, options, inLowerCase(cell))
  if (same.length === 0)
    return [
      during(
        'between',
        safe(
          statement,
          `${of} is in lower case now; ${counted(count, ['value is', 'values are'])} not`,
        ),
      ),
    ]
  const named = same.map(({ records }) => records).join('; ')
  return [
    blocked(
      statement,
      `${of} is in lower case now, and of these records each would have the value of another: ${named}`,
      `give each ${entity.key} a value of its own, or remove those that are not needed`,
    ),
  ]
}

/** Records that would have the same value of a unique index, each group as text. */
const findSame = async (
  database: Queryable,
  { entity, column, actual }: ComparedField,
  lowered: Sql,
): Promise<readonly { readonly records: string }[]> => {
  const value = ref(storedColumn(actual, column.name), 't')
  const found: { readonly records: string }[] = []
  for (const index of uniqueIndexes(entity)) {
    const { columns } = index
    if (!columns.includes(column.name)) continue
    const cells = columns.map((name) =>
      name === column.name
        ? lowered
        : indexedValue(index, name, ref(storedColumn(actual, name), 't')),
    )
    const given = index.nullsNotDistinct ? [] : cells.map((one) => sql`${one} IS NOT NULL`)
    const select = sql`
      SELECT string_agg(t.id || ' (' || ${value} || ')', ', ' ORDER BY t.id) AS records
      FROM ${table(storedTable(actual))} t
      WHERE ${join([notDeleted('t'), ...given], ' AND ')}
      GROUP BY ${join(cells, ', ')} HAVING count(*) > 1 ORDER BY min(t.id)`
    found.push(...(await queryRows<{ records: string }>(database, select)))
  }
  return found
}
