/**
 * One row per operator of criteria: the form of its value, the supported columns, its meaning, and its SQL.
 * Parser, planner, compiler and API page use these rows; a new operator is a name in `definitions/values/rules/operators.ts` and a
 * row here.
 */
import { anyOf, bound, isSql, type Sql, sql } from '../../database/sql.ts'
import type { Comparison, TypeFacts } from '../../definitions/field-types/field-type.ts'
import type { BoundType } from '../../definitions/field-types.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { type Operator, operatorNames } from '../../definitions/values/rules/operators.ts'
import type { PlannedValue } from '../select-plan.ts'
import {
  beginningOperand,
  countValues,
  listOperand,
  type Operand,
  partOperand,
  patternOperand,
  presenceOperand,
  presentOperand,
  valueOperand,
} from './operand.ts'

/** A column as a condition compares it. */
type ComparedColumn = {
  readonly sql: Sql
  readonly type: Pick<BoundType, 'cast' | 'isStructured' | 'choices'>
}

type OperatorRow = {
  readonly operand: Operand
  /** The comparisons of fields that the operator supports. */
  readonly fits: readonly Comparison[]
  /** One sentence for the API page. */
  readonly meaning: string
  /** The condition on a column; exactly one value unless the operand is a list. */
  readonly toSql: (column: ComparedColumn, values: readonly PlannedValue[]) => Sql
  /** Whether it depends on which of two values is the greater one. */
  readonly comparesOrder?: true
  /** The condition on two columns, or what they are sorted by; operators without it compare with values alone. */
  readonly relation?: Relation
  /**
   * The comparisons that a value may cost for each character of a text, or byte of JSON: PostgreSQL sees no cancel before the
   * text has ended. Operators without it need no limit.
   */
  readonly effort?: (value: SqlValue, type: TypeFacts) => number
}

type Relation = (column: Sql, other: Sql) => Sql

const everyField = ['text', 'ordered', 'equal', 'json', 'none'] as const
const comparable = ['text', 'ordered', 'equal'] as const
const ordered = ['text', 'ordered'] as const
const texts = ['text'] as const
const searchable = ['text', 'json'] as const

/** Which words stand so to one of them, by the difference of their places. */
const standsSo = {
  $gt: (difference: number) => difference > 0,
  $gte: (difference: number) => difference >= 0,
  $lt: (difference: number) => difference < 0,
  $lte: (difference: number) => difference <= 0,
} as const

/** Of words those are listed that stand so to the value: an index of the column finds them. */
const inOrder =
  (relation: Relation, operator: keyof typeof standsSo): OperatorRow['toSql'] =>
  (column, [value = null]) => {
    const { choices } = column.type
    if (choices === undefined) return relation(column.sql, bind(column, value))
    const place = choices.indexOf(String(value))
    const words = choices.filter((_, index) => place !== -1 && standsSo[operator](index - place))
    return isOneOf(column, words)
  }

const equals: Relation = (column, other) => sql`${column} = ${other}`
const differs: Relation = (column, other) => sql`${column} IS DISTINCT FROM ${other}`
const isGreater: Relation = (column, other) => sql`${column} > ${other}`
const isAtLeast: Relation = (column, other) => sql`${column} >= ${other}`
const isLess: Relation = (column, other) => sql`${column} < ${other}`
const isAtMost: Relation = (column, other) => sql`${column} <= ${other}`

// Reading a text costs as much as comparing it with some characters, and one value of JSON as much as a few.
const effortOfReading = 20
const effortOfJsonValue = 5

/** Of patterns and of texts alike: both lengths are multiplied where each place of the text almost matches. */
const effortOfText = (value: SqlValue): number => effortOfReading + Buffer.byteLength(String(value))

const effortOfJson = (value: string): number =>
  effortOfReading + effortOfJsonValue * countValues(JSON.parse(value))

export const operators = {
  $eq: {
    operand: valueOperand,
    fits: comparable,
    meaning: 'Equal.',
    toSql: (column, [value = null]) =>
      value === null ? isNull(column) : equals(column.sql, bind(column, value)),
    relation: equals,
  },
  $ne: {
    operand: valueOperand,
    fits: comparable,
    meaning: 'Not equal; empty fields are not equal either.',
    toSql: (column, [value = null]) =>
      value === null ? isNotNull(column) : differs(column.sql, bind(column, value)),
    relation: differs,
  },
  $gt: {
    operand: presentOperand,
    fits: ordered,
    meaning: 'Greater or later.',
    toSql: inOrder(isGreater, '$gt'),
    relation: isGreater,
    comparesOrder: true,
  },
  $gte: {
    operand: presentOperand,
    fits: ordered,
    meaning: 'At least.',
    toSql: inOrder(isAtLeast, '$gte'),
    relation: isAtLeast,
    comparesOrder: true,
  },
  $lt: {
    operand: presentOperand,
    fits: ordered,
    meaning: 'Smaller or earlier.',
    toSql: inOrder(isLess, '$lt'),
    relation: isLess,
    comparesOrder: true,
  },
  $lte: {
    operand: presentOperand,
    fits: ordered,
    meaning: 'At most.',
    toSql: inOrder(isAtMost, '$lte'),
    relation: isAtMost,
    comparesOrder: true,
  },
  $in: {
    operand: listOperand,
    fits: comparable,
    meaning: 'One of the list; null may be in it.',
    toSql: (column, values) => isOneOf(column, values),
  },
  $nin: {
    operand: listOperand,
    fits: comparable,
    meaning: 'None of the list.',
    toSql: (column, values) => sql`(${isOneOf(column, values)}) IS NOT TRUE`,
  },
  $like: {
    operand: patternOperand,
    fits: texts,
    meaning: 'SQL pattern with % and _.',
    effort: effortOfText,
    toSql: (column, [value = null]) => sql`${column.sql} LIKE ${bind(column, value)}`,
  },
  $ilike: {
    operand: patternOperand,
    fits: texts,
    meaning: 'SQL pattern with % and _, whatever the case.',
    effort: effortOfText,
    toSql: (column, [value = null]) => sql`${column.sql} ILIKE ${bind(column, value)}`,
  },
  $startsWith: {
    operand: beginningOperand,
    fits: texts,
    meaning: 'Begins as written; case counts.',
    // An index with C collation supports this like LIKE.
    toSql: (column, [value = null]) => sql`starts_with(${column.sql}, ${bind(column, value)})`,
  },
  $contains: {
    operand: partOperand,
    fits: searchable,
    meaning:
      'On text: contains this text, case-sensitive. On JSON: contains these properties or elements.',
    effort: (value, type) =>
      type.isStructured ? effortOfJson(String(value)) : effortOfText(value),
    toSql: (column, [value = null]) =>
      column.type.isStructured
        ? sql`${column.sql}::jsonb @> ${bindAs(value, 'jsonb')}`
        : sql`strpos(${column.sql}, ${bind(column, value)}) > 0`,
  },
  $null: {
    operand: presenceOperand,
    fits: everyField,
    meaning: 'true: absent; false: present.',
    toSql: (column, [value]) => (value === true ? isNull(column) : isNotNull(column)),
  },
} as const satisfies Readonly<Record<Operator, OperatorRow>>

/** The row of an operator, with the type that is common to all rows. */
export const operatorOf = (operator: Operator): OperatorRow => operators[operator]

/** Those that compare two columns. */
export const relations = operatorNames.filter(
  (operator) => operatorOf(operator).relation !== undefined,
)

const isOfClock = (value: PlannedValue): value is Sql =>
  value !== null && typeof value === 'object' && isSql(value)

const bindAs = (value: PlannedValue, cast: string): Sql =>
  isOfClock(value) ? value : bound(value, cast)
const bind = ({ type }: ComparedColumn, value: PlannedValue): Sql => bindAs(value, type.cast)
const isNull = ({ sql: column }: ComparedColumn): Sql => sql`${column} IS NULL`
const isNotNull = ({ sql: column }: ComparedColumn): Sql => sql`${column} IS NOT NULL`

const isOneOf = (column: ComparedColumn, values: readonly PlannedValue[]): Sql => {
  const given = values.filter((value): value is SqlValue => !isOfClock(value))
  const present = given.filter((value) => value !== null)
  const listed = sql`${column.sql} = ANY (${bound(present, `${column.type.cast}[]`)})`
  const others = [
    ...(present.length < given.length ? [isNull(column)] : []),
    ...values.filter(isOfClock).map((value) => equals(column.sql, value)),
  ]
  return others.length === 0 ? listed : anyOf([listed, ...others])
}
