/**
 * One row per function of `$aggregate`: the fields that it takes, its meaning, its SQL and its JSON. Parser,
 * planner, compiler and API page use these rows.
 */
import { type Sql, sql } from '../../database/sql.ts'
import type { Column } from '../../definitions/catalog.ts'
import { asJsonString, type CellKind } from '../../definitions/field-types/field-type.ts'

type AggregateRow = {
  /** What the values of its fields are. */
  readonly fits: readonly CellKind[]
  readonly meaning: string
  /** SQL: the result from an expression of the column. */
  readonly toSql: (column: Sql) => Sql
  /** SQL: JSON text from the result; null stays null. */
  readonly toJson: (result: string, column: Column) => string
}

const numbers = ['integer', 'bigint', 'decimal'] as const
const ordered = [...numbers, 'date', 'timestamp'] as const

export const aggregates = {
  sum: {
    fits: numbers,
    meaning: 'The exact sum as text.',
    toSql: (column) => sql`sum(${column})`,
    toJson: asJsonString,
  },
  avg: {
    fits: numbers,
    meaning: 'The average as text, with at least 16 significant digits.',
    toSql: (column) => sql`trim_scale(avg(${column}))`,
    toJson: asJsonString,
  },
  min: {
    fits: ordered,
    meaning: 'The smallest or earliest value, as in a record.',
    toSql: (column) => sql`min(${column})`,
    toJson: (result, { type }) => type.jsonText(result),
  },
  max: {
    fits: ordered,
    meaning: 'The largest or latest value, as in a record.',
    toSql: (column) => sql`max(${column})`,
    toJson: (result, { type }) => type.jsonText(result),
  },
} as const satisfies Readonly<Record<string, AggregateRow>>

export type AggregateName = keyof typeof aggregates

/** The row of a function, with the type that is common to all rows. */
export const aggregateOf = (name: AggregateName): AggregateRow => aggregates[name]

/** Whether a function takes the values of a column; the numbers of links and ids are names. */
export const fitsAggregate = (name: AggregateName, { type, target, isSystem }: Column): boolean => {
  const isQuantity = target === undefined && !(isSystem && type.cell === 'integer')
  return isQuantity && aggregateOf(name).fits.includes(type.cell)
}
