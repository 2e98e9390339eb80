/** Reads query criteria from a body: the shape only; names and types are the planner's. */
import { kindOf } from '../definitions/check-value.ts'
import { faultOfMistakes, type Mistake } from '../errors.ts'
import { suggestion } from '../near-miss.ts'
import {
  type Condition,
  type Criteria,
  noCriteria,
  type Operator,
  type Ordering,
  operators,
} from './criteria.ts'

// Far beyond what a person writes, far below what would tire the parser or PostgreSQL.
const deepestNesting = 20
const mostConditions = 1000
const mostListEntries = 10_000
const mostNames = 500

const knownKeys = ['$where', '$orderBy', '$select', '$count']
const operatorNames = Object.keys(operators)

type Reading = { readonly mistakes: Mistake[]; conditions: number }

/** Throws criteria.invalid with every mistake of shape. No body means all records. */
export const parseCriteria = (body: unknown): Criteria => {
  if (body === undefined || body === null) return noCriteria
  const reading: Reading = { mistakes: [], conditions: 0 }
  if (!isObject(body))
    throw faultOfMistakes('criteria.invalid', [
      { path: '', message: `must be an object, not ${kindOf(body)}` },
    ])
  for (const key of Object.keys(body))
    if (!knownKeys.includes(key))
      reading.mistakes.push({
        path: key,
        message: `is not a key of query criteria${suggestion(key, knownKeys)}`,
      })
  const criteria: Criteria = {
    where: body.$where === undefined ? undefined : readGroup(body.$where, '$where', 0, reading),
    orderBy: readNames(body.$orderBy, '$orderBy', reading).map(parseOrdering),
    select:
      body.$select === undefined
        ? undefined
        : readNames(body.$select, '$select', reading).map(({ name }) => name),
    count: readFlag(body.$count, '$count', reading),
  }
  if (reading.mistakes.length > 0) throw faultOfMistakes('criteria.invalid', reading.mistakes)
  return criteria
}

/** `-total` is descending; used for `$orderBy` and for `?sort=`. */
export const parseOrdering = ({ name, at }: { name: string; at: string }): Ordering => ({
  field: name.replace(/^[-+]/, ''),
  descending: name.startsWith('-'),
  at,
})

/** Reads a bare `$where` object, such as the condition of a notification. */
export const parseWhere = (
  value: unknown,
  at: string,
): { condition: Condition | undefined; mistakes: Mistake[] } => {
  const reading: Reading = { mistakes: [], conditions: 0 }
  return { condition: readGroup(value, at, 0, reading), mistakes: reading.mistakes }
}

const readGroup = (
  value: unknown,
  at: string,
  depth: number,
  reading: Reading,
): Condition | undefined => {
  if (!isObject(value)) return wrong(reading, at, `must be an object, not ${kindOf(value)}`)
  if (depth > deepestNesting)
    return wrong(reading, at, `is nested deeper than ${deepestNesting} levels`)
  const conditions = Object.entries(value).flatMap(([key, inner]) =>
    readEntry(key, inner, `${at}.${key}`, depth, reading),
  )
  return conditions.length === 1 ? conditions[0] : { kind: 'and', conditions }
}

const readEntry = (
  key: string,
  value: unknown,
  at: string,
  depth: number,
  reading: Reading,
): Condition[] => {
  if (key === '$and' || key === '$or')
    return [readList(key === '$and' ? 'and' : 'or', value, at, depth, reading)].filter(isDefined)
  if (key === '$not') {
    const condition = readGroup(value, at, depth + 1, reading)
    return condition ? [{ kind: 'not', condition }] : []
  }
  if (key.startsWith('$')) {
    const names = ['$and', '$or', '$not']
    const hint = operatorNames.includes(key)
      ? 'stands inside a field, such as { "total": { "$gt": "10" } }'
      : `is not an operator${suggestion(key, names)}`
    wrong(reading, at, hint)
    return []
  }
  return readField(key, value, at, reading)
}

const readList = (
  kind: 'and' | 'or',
  value: unknown,
  at: string,
  depth: number,
  reading: Reading,
): Condition | undefined => {
  if (!Array.isArray(value)) return wrong(reading, at, `must be an array, not ${kindOf(value)}`)
  if (value.length === 0) return wrong(reading, at, 'must not be empty')
  const conditions = value
    .map((inner, index) => readGroup(inner, `${at}[${index}]`, depth + 1, reading))
    .filter(isDefined)
  return { kind, conditions }
}

/** `5`, `null`, `[1, 2]`, or an object of operators, all of which must hold. */
const readField = (field: string, value: unknown, at: string, reading: Reading): Condition[] => {
  if (Array.isArray(value)) return compare(field, '$in', value, at, reading)
  if (!isObject(value)) return compare(field, '$eq', value, at, reading)
  const entries = Object.entries(value)
  if (entries.length === 0) wrong(reading, at, 'must name an operator, such as { "$gt": 10 }')
  return entries.flatMap(([name, operand]) => {
    const place = `${at}.${name}`
    if (!isOperator(name)) {
      wrong(reading, place, `is not an operator${suggestion(name, operatorNames)}`)
      return []
    }
    return compare(field, name, operand, place, reading)
  })
}

const compare = (
  field: string,
  operator: Operator,
  value: unknown,
  at: string,
  reading: Reading,
): Condition[] => {
  reading.conditions += 1
  if (reading.conditions > mostConditions) {
    if (reading.conditions === mostConditions + 1)
      wrong(
        reading,
        at,
        `is the condition number ${reading.conditions}; at most ${mostConditions} are taken`,
      )
    return []
  }
  const message = operandMistake(operator, value)
  if (message !== undefined) {
    wrong(reading, at, message)
    return []
  }
  return [{ kind: 'compare', field, operator, value, at }]
}

const operandMistake = (operator: Operator, value: unknown): string | undefined => {
  const { takes } = operators[operator]
  switch (takes) {
    case 'list':
      if (!Array.isArray(value)) return `must be an array, not ${kindOf(value)}`
      return value.length > mostListEntries
        ? `has ${value.length} entries, at most ${mostListEntries} are taken`
        : undefined
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `must be true or false, not ${kindOf(value)}`
    case 'text':
      if (typeof value !== 'string') return `must be a string, not ${kindOf(value)}`
      return isPattern(operator) && endsInEscape(value)
        ? 'must not end with a single backslash, which escapes the character after it'
        : undefined
    case 'present':
      if (value === null)
        return 'must be one value, not null; ask for absent values with { "$null": true }'
      return singleMistake(value)
    case 'value':
      return singleMistake(value)
  }
}

const singleMistake = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null
    ? `must be one value, not ${kindOf(value)}`
    : undefined

const isPattern = (operator: Operator) => operator === '$like' || operator === '$ilike'
const endsInEscape = (text: string) => (/\\*$/.exec(text)?.[0].length ?? 0) % 2 === 1

const readNames = (
  value: unknown,
  at: string,
  reading: Reading,
): { name: string; at: string }[] => {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    wrong(reading, at, `must be an array of field names, not ${kindOf(value)}`)
    return []
  }
  if (value.length === 0) wrong(reading, at, 'must not be empty')
  if (value.length > mostNames) {
    wrong(reading, at, `has ${value.length} entries, at most ${mostNames} are taken`)
    return []
  }
  return value.flatMap((name: unknown, index) => {
    const place = `${at}[${index}]`
    if (typeof name === 'string' && name !== '') return [{ name, at: place }]
    wrong(reading, place, `must be the name of a field, not ${kindOf(name)}`)
    return []
  })
}

const readFlag = (value: unknown, at: string, reading: Reading): boolean => {
  if (value !== undefined && typeof value !== 'boolean')
    wrong(reading, at, `must be true or false, not ${kindOf(value)}`)
  return value === true
}

const wrong = (reading: Reading, path: string, message: string): undefined => {
  reading.mistakes.push({ path, message })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isOperator = (name: string): name is Operator => operatorNames.includes(name)
const isDefined = <T>(value: T | undefined): value is T => value !== undefined
