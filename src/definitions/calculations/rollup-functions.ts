/** One row per function of rollups: the fields that it takes, the fields that keep its result, and its SQL. */
import type { FieldDefinition, FieldTypeName } from '../field-types.ts'

type RollupRow = {
  readonly meaning: string
  /** What is calculated with; undefined: the records themselves are counted. */
  readonly takes: readonly FieldTypeName[] | undefined
  /** What is wrong with a field that is to keep the result; undefined if it fits. */
  readonly issueOf: (result: FieldDefinition, source: FieldDefinition) => string | undefined
  /** The aggregate as SQL, from the SQL of its column. */
  readonly toSql: (cell: string) => string
  /** What it is without records; undefined: empty. */
  readonly withoutRecords: string | undefined
}

const wider: Partial<Record<FieldTypeName, readonly FieldTypeName[]>> = {
  integer: ['integer', 'bigint', 'decimal'],
  bigint: ['bigint', 'decimal'],
  decimal: ['decimal'],
}

/** Digits that would be lost after the point. */
const scaleIssue = (result: FieldDefinition, source: FieldDefinition): string | undefined => {
  if (result.type !== 'decimal' || source.type !== 'decimal') return undefined
  if (result.precision === undefined) return undefined
  if (source.precision === undefined)
    return `has ${result.scale ?? 0} digits after the point, and "${source.key}" any number of them`
  const [own, other] = [result.scale ?? 0, source.scale ?? 0]
  return own < other
    ? `has ${own} digits after the point, and "${source.key}" has ${other}`
    : undefined
}

const sumIssue: RollupRow['issueOf'] = (result, source) => {
  const fitting = wider[source.type] ?? []
  return fitting.includes(result.type)
    ? scaleIssue(result, source)
    : `is ${result.type}; the sum of a field of type ${source.type} is ${fitting.join(' or ')}`
}

const sameIssue: RollupRow['issueOf'] = (result, source) =>
  result.type === source.type
    ? scaleIssue(result, source)
    : `is ${result.type}, and "${source.key}" is ${source.type}`

const ordered = ['integer', 'bigint', 'decimal', 'date', 'timestamp'] as const

export const rollupFunctions = {
  sum: {
    meaning: 'The exact sum; 0 without records.',
    takes: ['integer', 'bigint', 'decimal'],
    issueOf: sumIssue,
    toSql: (cell) => `coalesce(sum(${cell}), 0)`,
    withoutRecords: '0',
  },
  count: {
    meaning: 'How many records there are.',
    takes: undefined,
    issueOf: ({ type }) =>
      ['integer', 'bigint'].includes(type) ? undefined : `is ${type}; a count is integer or bigint`,
    toSql: () => 'count(*)',
    withoutRecords: '0',
  },
  min: {
    meaning: 'The smallest or earliest value; empty without one.',
    takes: ordered,
    issueOf: sameIssue,
    toSql: (cell) => `min(${cell})`,
    withoutRecords: undefined,
  },
  max: {
    meaning: 'The largest or latest value; empty without one.',
    takes: ordered,
    issueOf: sameIssue,
    toSql: (cell) => `max(${cell})`,
    withoutRecords: undefined,
  },
} as const satisfies Readonly<Record<string, RollupRow>>

export type RollupName = keyof typeof rollupFunctions

/** The row of a function, with the type that is common to all rows. */
export const rollupFunctionOf = (name: RollupName): RollupRow => rollupFunctions[name]

/** The names of the functions, in the order of the table. */
export const rollupNames = Object.keys(rollupFunctions) as readonly RollupName[]
