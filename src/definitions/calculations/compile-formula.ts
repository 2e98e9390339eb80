/** Checks what the parts of a formula are, and compiles it to SQL. */
import { didYouMean } from '../../did-you-mean.ts'
import type { FieldTypeName } from '../field-types.ts'
import { formulaFunctions } from './formula-functions.ts'
import { type Kind, kindOfType, kindWords } from './formula-kind.ts'
import { type Expression, FormulaError, type Operator } from './parse-formula.ts'

/** What a formula may read, by the names in it. */
type Known = ReadonlyMap<string, { readonly type: FieldTypeName }>

type Compiled = { readonly kind: Kind; readonly sql: string }

type Place = {
  readonly known: Known
  /** The SQL of a field, of the type of its column. */
  readonly toSql: (name: string) => string
}

/**
 * SQL of a formula and the kind of its result, or a FormulaError. It is empty when one of its operands is, and when it divides
 * by zero.
 */
export const compileFormula = (expression: Expression, place: Place): Compiled => {
  switch (expression.kind) {
    case 'number':
      return {
        kind: expression.digits.includes('.') ? 'number' : 'whole',
        sql: `${expression.digits}::numeric`,
      }
    case 'field':
      return compileField(expression, place)
    case 'negation': {
      const { kind, sql } = compileFormula(expression.of, place)
      if (kind === 'date') throw new FormulaError('a date has no negative', 0)
      return { kind, sql: `(- ${sql})` }
    }
    case 'operation':
      return compileOperation(expression, place)
    case 'call':
      return compileCall(expression, place)
  }
}

const compileField = (
  { name, at }: Extract<Expression, { kind: 'field' }>,
  { known, toSql }: Place,
): Compiled => {
  const field = known.get(name)
  if (!field)
    throw new FormulaError(
      `"${name}" is not a field of this entity${didYouMean(name, known.keys())}`,
      at,
    )
  const kind = kindOfType(field.type)
  if (!kind)
    throw new FormulaError(`"${name}" is a ${field.type}, with which formulas do not calculate`, at)
  const cell = toSql(name)
  return { kind, sql: kind === 'date' ? cell : `(${cell})::numeric` }
}

type Rule = {
  readonly left: Kind
  readonly right: Kind
  readonly kind: Kind
  readonly toSql: (left: string, right: string) => string
}

const numbers = ['whole', 'number'] as const

const ofNumbers = (
  toSql: Rule['toSql'],
  kindOf: (left: Kind, right: Kind) => Kind = (left, right) =>
    left === 'whole' && right === 'whole' ? 'whole' : 'number',
): Rule[] =>
  numbers.flatMap((left) =>
    numbers.map((right) => ({ left, right, kind: kindOf(left, right), toSql })),
  )

/** What each operator takes: a row for each pair. */
const rules: Readonly<Record<Operator, readonly Rule[]>> = {
  '+': [
    ...ofNumbers((left, right) => `(${left} + ${right})`),
    {
      left: 'date',
      right: 'whole',
      kind: 'date',
      toSql: (day, days) => `(${day} + (${days})::integer)`,
    },
    {
      left: 'whole',
      right: 'date',
      kind: 'date',
      toSql: (days, day) => `(${day} + (${days})::integer)`,
    },
  ],
  '-': [
    ...ofNumbers((left, right) => `(${left} - ${right})`),
    {
      left: 'date',
      right: 'whole',
      kind: 'date',
      toSql: (day, days) => `(${day} - (${days})::integer)`,
    },
    {
      left: 'date',
      right: 'date',
      kind: 'whole',
      toSql: (left, right) => `(${left} - ${right})::numeric`,
    },
  ],
  '*': ofNumbers((left, right) => `(${left} * ${right})`),
  '/': ofNumbers(
    (left, right) => `(${left} / nullif(${right}, 0))`,
    () => 'number',
  ),
}

const compileOperation = (
  { operator, left, right, at }: Extract<Expression, { kind: 'operation' }>,
  place: Place,
): Compiled => {
  const [one, other] = [compileFormula(left, place), compileFormula(right, place)]
  const rule = rules[operator].find((row) => row.left === one.kind && row.right === other.kind)
  if (!rule)
    throw new FormulaError(
      `"${operator}" does not take ${kindWords[one.kind]} and ${kindWords[other.kind]}`,
      at,
    )
  return { kind: rule.kind, sql: rule.toSql(one.sql, other.sql) }
}

const compileCall = (
  { name, given, at }: Extract<Expression, { kind: 'call' }>,
  place: Place,
): Compiled => {
  const row = Object.hasOwn(formulaFunctions, name) ? formulaFunctions[name] : undefined
  if (!row) {
    const names = Object.keys(formulaFunctions)
    const near = didYouMean(name, names) || `; there are ${names.join(', ')}`
    throw new FormulaError(`"${name}" is not a function of formulas${near}`, at)
  }
  const parts = given.map((one) => compileFormula(one, place))
  const kind = row.kindOf(parts.map((part) => part.kind))
  if (!kind) throw new FormulaError(`"${name}" is written ${row.usage}`, at)
  return { kind, sql: row.toSql(parts.map(({ sql }) => sql)) }
}

/** The names of the fields that a formula reads. */
export const fieldsIn = (expression: Expression): readonly string[] => {
  switch (expression.kind) {
    case 'number':
      return []
    case 'field':
      return [expression.name]
    case 'negation':
      return fieldsIn(expression.of)
    case 'operation':
      return [...fieldsIn(expression.left), ...fieldsIn(expression.right)]
    case 'call':
      return expression.given.flatMap(fieldsIn)
  }
}
