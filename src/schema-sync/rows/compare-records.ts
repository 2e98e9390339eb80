/** Compares the records with the rules that changed since the database last followed the definitions. */
import type { Queryable } from '../../database/pool.ts'
import { identifier, tableName } from '../../database/sql.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import { earlierKeys } from '../../definitions/earlier-keys.ts'
import type { Change } from '../diff/change.ts'
import type { Schema, TableSchema } from '../diff/schema.ts'
import type { ComparedRule, Memory, Rename } from '../renames/memory.ts'
import { compareLimits } from './compare-limits.ts'
import { compareWords, declaredRenames, type Words } from './compare-words.ts'
import { limitsOf, ruleDigest } from './field-rules.ts'
import { type TimeBudget, timeBudget } from './time-budget.ts'

type Wish = {
  readonly catalog: Catalog
  /** What is there, by the names that it will have. */
  readonly schema: Schema
  readonly memory: Memory
  readonly timeZone: string
  /** What all comparisons together may take. */
  readonly compareMs: number
}

type Compared = {
  readonly changes: readonly Change[]
  readonly renames: readonly Rename[]
  /** Rules that are in force from now on. */
  readonly rules: readonly ComparedRule[]
}

const nothing: Compared = { changes: [], renames: [], rules: [] }

/** One look at a table for each rule that changed; steps are looked at each time, by their index. */
export const compareRecords = async (database: Queryable, wish: Wish): Promise<Compared> => {
  const budget = timeBudget(wish.compareMs)
  const all: Compared[] = []
  for (const entity of wish.catalog.entities.values()) {
    const known = wish.schema.get(entity.key)
    for (const column of entity.columns)
      all.push(await compareColumn(database, wish, { entity, column, known, budget }))
  }
  return {
    changes: all.flatMap(({ changes }) => changes),
    renames: all.flatMap(({ renames }) => renames),
    rules: all.flatMap(({ rules }) => rules),
  }
}

type Place = {
  readonly entity: Entity
  readonly column: Column
  readonly known: TableSchema | undefined
  readonly budget: TimeBudget
}

const compareColumn = async (
  database: Queryable,
  { memory, timeZone, compareMs }: Wish,
  { entity, column, known, budget }: Place,
): Promise<Compared> => {
  const own = wordsIn(entity, column)
  const limits = limitsOf(column, timeZone)
  if (!own && limits.length === 0) return nothing
  const digest = ruleDigest(own ?? limits.map(({ words }) => words))
  const rule = { entityKey: entity.key, columnName: column.name, digest }
  const earlier = memory.rules.filter(
    (one) => one.entityKey === rule.entityKey && one.columnName === rule.columnName,
  )
  const isInForce = earlier[0]?.digest === digest
  const words = own && {
    ...own,
    column: column.name,
    known: known ?? emptyTable(entity.key),
    isKnown: earlier.some((one) => one.digest === digest),
  }
  const renames = words ? declaredRenames(memory, words) : []
  const rules = isInForce ? [] : [rule]
  const stored = known?.columns.find(({ name }) => name === column.name)
  // What is to come holds nothing yet.
  if (!known || !stored) return { changes: [], renames, rules }
  // What changes its type is compared at the next start.
  if (stored.type !== column.type.sqlType()) return nothing
  if (isInForce && words?.kind !== 'step') return { changes: [], renames, rules }
  const changes = await budget.within(database, () =>
    words
      ? compareWords(database, memory, words)
      : compareLimits(database, { column, known, timeZone, budget }),
  )
  return changes
    ? { changes, renames, rules }
    : { changes: [notCompared(entity.key, column.name, compareMs)], renames, rules: [] }
}

type OwnWords = Pick<Words, 'kind' | 'words' | 'earlier' | 'usual'>

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
      usual: workflow.initialStep,
    }
  if (field.type !== 'enum') return undefined
  return {
    kind: 'value',
    words: field.values,
    earlier: field.earlierValues ?? {},
    usual: field.default ?? field.values[0] ?? '',
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
  reason: `the records of ${table} could not be compared with the new rule of ${column} within ${Math.round(ms / 1000)} s; "docket migrate" takes its time for it`,
})
