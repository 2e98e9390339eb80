/**
 * Formulas: fields that PostgreSQL calculates from others of the same record. What their parts are is checked here, and they
 * are compiled to SQL.
 */
import { didYouMean } from '../../did-you-mean.ts'
import { kept } from '../../kept.ts'
import type { Column, Entity } from '../catalog.ts'
import type { FieldTypeName } from '../field-types.ts'
import { type Expression, FormulaError, type Operator, parseFormula } from './parse-formula.ts'

type Kind = 'whole' | 'number' | 'date'

const kinds: Partial<Record<FieldTypeName, Kind>> = {
  integer: 'whole',
  bigint: 'whole',
  decimal: 'number',
  date: 'date',
}

/** The kind of the values of a field; undefined if formulas do not calculate with them. */
export const kindOfType = (type: FieldTypeName): Kind | undefined => kinds[type]

/** What people call it. */
export const kindWords: Readonly<Record<Kind, string>> = {
  whole: 'a whole number',
  number: 'a number',
  date: 'a date',
}

type FunctionRow = {
  /** For people: what is written between the parentheses. */
  readonly usage: string
  readonly meaning: string
  /** The kind of the result; undefined if the function does not take these. */
  readonly kindOf: (given: readonly Kind[]) => Kind | undefined
  readonly toSql: (given: readonly string[]) => string
}

const isNumber = (kind: Kind | undefined): boolean => kind === 'whole' || kind === 'number'

/** The kind that values have together: one of dates, or one of numbers. */
const common = (given: readonly Kind[]): Kind | undefined => {
  if (given.every((kind) => kind === 'date')) return 'date'
  if (!given.every(isNumber)) return undefined
  return given.every((kind) => kind === 'whole') ? 'whole' : 'number'
}

const severalOf = (given: readonly Kind[]): Kind | undefined =>
  given.length < 2 ? undefined : common(given)

export const formulaFunctions: Readonly<Record<string, FunctionRow>> = {
  round: {
    usage: 'round(value) or round(value, digits)',
    meaning: 'Rounded half away from zero, to whole numbers or to digits after the point.',
    kindOf: ([value, digits, ...more]) => {
      if (!isNumber(value) || more.length > 0) return undefined
      if (digits === undefined) return 'whole'
      return digits === 'whole' ? 'number' : undefined
    },
    toSql: ([value, digits]) =>
      digits === undefined ? `round(${value})` : `round(${value}, (${digits})::integer)`,
  },
  abs: {
    usage: 'abs(value)',
    meaning: 'Without its sign.',
    kindOf: ([value, ...more]) => (isNumber(value) && more.length === 0 ? value : undefined),
    toSql: ([value]) => `abs(${value})`,
  },
  min: {
    usage: 'min(value, value, …)',
    meaning: 'The smallest or earliest; empty values are left out.',
    kindOf: severalOf,
    toSql: (given) => `least(${given.join(', ')})`,
  },
  max: {
    usage: 'max(value, value, …)',
    meaning: 'The largest or latest; empty values are left out.',
    kindOf: severalOf,
    toSql: (given) => `greatest(${given.join(', ')})`,
  },
  coalesce: {
    usage: 'coalesce(value, value, …)',
    meaning: 'The first that is not empty.',
    kindOf: severalOf,
    toSql: (given) => `coalesce(${given.join(', ')})`,
  },
}

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

/** The formula of a column; undefined if it has none, or one that `docket check` reports. */
export const formulaOf = (column: Column | undefined): Expression | undefined =>
  column && formulaIn(column)

const formulaIn = kept(({ field }: Column): Expression | undefined => {
  if (!('formula' in field) || field.formula === undefined) return undefined
  try {
    return parseFormula(field.formula)
  } catch (error) {
    if (error instanceof FormulaError) return undefined
    throw error
  }
})

/** The columns with a formula, each after those that it reads. */
export const formulaColumns = (entity: Entity): readonly Column[] => {
  const sorted = new Set<Column>()
  const add = (column: Column | undefined, path: readonly Column[]) => {
    const formula = formulaOf(column)
    if (!column || !formula || sorted.has(column) || path.includes(column)) return
    for (const name of fieldsIn(formula)) add(entity.columnsByName.get(name), [...path, column])
    sorted.add(column)
  }
  for (const column of entity.columns) add(column, [])
  return [...sorted]
}

/** A column, and all that its formula reads, directly or through other formulas. */
export const columnsBehind = (entity: Entity, column: Column): ReadonlySet<Column> => {
  const found = new Set([column])
  // The set grows during the loop.
  for (const one of found) {
    const formula = formulaOf(one)
    for (const name of formula ? fieldsIn(formula) : []) {
      const read = entity.columnsByName.get(name)
      if (read) found.add(read)
    }
  }
  return found
}

/** What a formula of the entity may read: its own fields, by their names. */
export const readableFields = (entity: Entity): ReadonlyMap<string, Column['field']> =>
  new Map(
    entity.columns
      .filter(({ isSystem, target }) => !isSystem && target === undefined)
      .map(({ name, field }) => [name, field]),
  )

/**
 * SQL of the value of a column with a formula, rounded as the column keeps it, from the SQL of the columns that it reads.
 * Values with more digits than the column has are not cut.
 */
export const formulaSql = (
  entity: Entity,
  column: Column,
  toSql: (name: string) => string,
): string => {
  const formula = formulaOf(column)
  if (!formula) throw new Error(`${entity.key}.${column.name} has no formula.`)
  const { sql } = compileFormula(formula, { known: readableFields(entity), toSql })
  const { cell, digits } = column.type
  if (cell === 'decimal' && digits.precision !== undefined)
    return `round(${sql}, ${digits.scale ?? 0})`
  return cell === 'integer' || cell === 'bigint' ? `round(${sql})` : sql
}
