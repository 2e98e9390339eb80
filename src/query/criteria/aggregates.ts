/**
 * One row per function of `$aggregate`: the fields that it takes, its meaning, its SQL and its JSON. Parser,
 * planner, compiler and API page use these rows.
 */
import { type Sql, sql, texts } from '../../database/sql.ts'
import type { Column } from '../../definitions/catalog.ts'
import { asJsonString, type ComparedKind } from '../../definitions/field-types/field-type.ts'
import type { BoundType } from '../../definitions/field-types.ts'

type AggregateRow = {
  /** What the values of its fields are. */
  readonly fits: readonly (ComparedKind | undefined)[]
  readonly meaning: string
  /** Whether it takes the words of an enum and the steps of a workflow, in the order of their definition. */
  readonly takesChoices?: true
  /** SQL: the result from an expression of the column. */
  readonly toSql: (column: Sql, type: Pick<BoundType, 'choices'>) => Sql
  /** SQL: JSON text from the result; null stays null. */
  readonly toJson: (result: string, column: Column) => string
}

const numbers = ['number'] as const
const ordered = ['number', 'date', 'timestamp'] as const

/** The word at the end of the order; those that the definition lacks have no place in it. */
const endOf =
  (end: (value: Sql) => Sql): AggregateRow['toSql'] =>
  (column, { choices }) =>
    choices === undefined
      ? end(column)
      : sql`(${texts(choices)})[${end(sql`array_position(${texts(choices)}, ${column})`)}]`

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
    meaning: 'The smallest, earliest or first value, as in a record.',
    takesChoices: true,
    toSql: endOf((value) => sql`min(${value})`),
    toJson: (result, { type }) => type.jsonText(result),
  },
  max: {
    fits: ordered,
    meaning: 'The largest, latest or last value, as in a record.',
    takesChoices: true,
    toSql: endOf((value) => sql`max(${value})`),
    toJson: (result, { type }) => type.jsonText(result),
  },
} as const satisfies Readonly<Record<string, AggregateRow>>

export type AggregateName = keyof typeof aggregates

/** The row of a function, with the type that is common to all rows. */
export const aggregateOf = (name: AggregateName): AggregateRow => aggregates[name]

/** Whether a function takes the values of a column; the numbers of links and ids are names. */
export const fitsAggregate = (name: AggregateName, { type, target, isSystem }: Column): boolean => {
  const isQuantity = target === undefined && !(isSystem && type.cell === 'integer')
  const { fits, takesChoices = false } = aggregateOf(name)
  if (type.choices !== undefined) return takesChoices
  return isQuantity && fits.includes(type.comparedKind)
}
