/** Schemas of the table `item`, and a test for the changes between two schemas. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '../../../src/schema-sync/diff/change.ts'
import { diffSchema } from '../../../src/schema-sync/diff/diff-schema.ts'
import type { ColumnSchema, Schema, TableSchema } from '../../../src/schema-sync/diff/schema.ts'
import type { TableStats } from '../../../src/schema-sync/diff/table-stats.ts'

export const column = (name: string, more: Partial<ColumnSchema> = {}): ColumnSchema => ({
  name,
  type: 'text',
  isNotNull: false,
  default: undefined,
  isIdentity: false,
  ...more,
})
export const id = column('id', { type: 'integer', isNotNull: true, isIdentity: true })

export const item = (properties: Partial<TableSchema> = {}): TableSchema => ({
  name: 'item',
  columns: [id],
  indexes: [],
  foreignKeys: [],
  checks: [],
  ...properties,
})
export const withColumn = (name: string, more?: Partial<ColumnSchema>) =>
  item({ columns: [id, column(name, more)] })

const schema = (...tables: TableSchema[]): Schema => new Map(tables.map((one) => [one.name, one]))
const noStats: TableStats = {
  timeZone: 'UTC',
  lossyValues: () => undefined,
  rowCount: () => 0,
  isFilled: () => false,
  nullCount: () => 0,
  duplicates: () => undefined,
  orphanCount: () => 0,
  isSameDefault: (_, desired, actual) => desired.default === actual.default,
}

/** An actual and a desired schema, and the SQL of the changes between them by kind. */
export type Difference = {
  readonly fact: string
  readonly actual?: TableSchema[]
  readonly desired?: TableSchema[]
  readonly tableStats?: Partial<TableStats>
  readonly safe?: string[]
  readonly whileKept?: string[]
  readonly kept?: string[]
  readonly destructive?: string[]
  readonly blocked?: string[]
}

export const alter = 'ALTER TABLE "records"."item"'

/** Declares a test for each difference. */
export const testDifferences = (differences: readonly Difference[]): void => {
  for (const difference of differences)
    test(difference.fact, () => {
      const changes = diffSchema(
        schema(...(difference.desired ?? [])),
        schema(...(difference.actual ?? [])),
        {
          ...noStats,
          ...difference.tableStats,
        },
      )
      const sqlOf = (wanted: Change['kind']) =>
        changes.filter(({ kind }) => kind === wanted).map(({ sql }) => sql)
      const { safe = [], whileKept = [], kept = [], destructive = [], blocked = [] } = difference
      assert.deepEqual(
        {
          safe: sqlOf('safe'),
          whileKept: sqlOf('whileKept'),
          kept: sqlOf('kept'),
          destructive: sqlOf('destructive'),
          blocked: sqlOf('blocked'),
        },
        { safe, whileKept, kept, destructive, blocked },
      )
    })
}
