/** Parses query criteria from a body: only the shape; the planner checks names and types. */
import { kindOf } from '../../definitions/values/check-value.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { validationError } from '../../errors.ts'
import { addIssue, type Issue, isFull, shorten } from '../../issues.ts'
import { type Condition, type Criteria, noCriteria, type Ordering } from './criteria.ts'
import { criteriaLimits } from './criteria-limits.ts'
import type { Operand } from './operand.ts'
import { type Operator, operatorOf, operators } from './operators.ts'

const knownKeys = ['$where', '$orderBy', '$select', '$count']
const operatorNames = Object.keys(operators)

/**
 * The state of the parser; `isOver` when a limit is reached or there are enough issues: then parsing stops.
 */
type Reading = {
  readonly issues: Issue[]
  conditions: number
  listed: number
  searches: number
  isOver: boolean
}

const newReading = (): Reading => ({
  issues: [],
  conditions: 0,
  listed: 0,
  searches: 0,
  isOver: false,
})

/** Throws criteria.invalid with every issue of the shape. No body means all records. */
export const parseCriteria = (body: unknown): Criteria => {
  if (body === undefined || body === null) return noCriteria
  const reading = newReading()
  if (!isObject(body))
    throw validationError('criteria.invalid', [
      { path: '', message: `must be an object, not ${kindOf(body)}` },
    ])
  for (const key of Object.keys(body)) {
    if (reading.isOver) break
    if (!knownKeys.includes(key))
      wrong(reading, key, 'is not a key of query criteria', () => didYouMean(key, knownKeys))
  }
  const criteria: Criteria = {
    where: body.$where === undefined ? undefined : readGroup(body.$where, '$where', 0, reading),
    orderBy: readNames(body.$orderBy, '$orderBy', reading).map(parseOrdering),
    select:
      body.$select === undefined
        ? undefined
        : readNames(body.$select, '$select', reading).map(({ name }) => name),
    count: readFlag(body.$count, '$count', reading),
  }
  if (reading.issues.length > 0) throw validationError('criteria.invalid', reading.issues)
  return criteria
}

/** `-total` is descending; used for `$orderBy` and for `?sort=`. */
export const parseOrdering = ({ name, at }: { name: string; at: string }): Ordering => ({
  field: name.replace(/^[-+]/, ''),
  descending: name.startsWith('-'),
  at,
})

/** Parses a bare `$where` object, such as the condition of a notification. */
export const parseWhere = (
  value: unknown,
  at: string,
): { condition: Condition | undefined; issues: Issue[] } => {
  const reading = newReading()
  return { condition: readGroup(value, at, 0, reading), issues: reading.issues }
}

const readGroup = (
  value: unknown,
  at: string,
  depth: number,
  reading: Reading,
): Condition | undefined => {
  if (!isObject(value)) return wrong(reading, at, `must be an object, not ${kindOf(value)}`)
  if (depth > criteriaLimits.levels)
    return wrong(reading, at, `is nested deeper than ${criteriaLimits.levels} levels`)
  const entries = Object.entries(value)
  if (entries.length === 0 && !countsAsOneMore(reading, at)) return undefined
  const conditions: Condition[] = []
  for (const [key, inner] of entries) {
    if (reading.isOver) break
    if (key.length > criteriaLimits.name) tooLong(reading, `${at}.${shorten(key)}`)
    else conditions.push(...readEntry(key, inner, `${at}.${key}`, depth, reading))
  }
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
    if (operatorNames.includes(key))
      wrong(reading, at, 'must be inside a field, such as { "total": { "$gt": "10" } }')
    else wrong(reading, at, 'is not an operator', () => didYouMean(key, ['$and', '$or', '$not']))
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
  const conditions: Condition[] = []
  for (const [index, inner] of value.entries()) {
    if (reading.isOver) break
    const condition = readGroup(inner, `${at}[${index}]`, depth + 1, reading)
    if (condition) conditions.push(condition)
  }
  return { kind, conditions }
}

/** `5`, `null`, `[1, 2]`, or an object of operators, all of which must match. */
const readField = (field: string, value: unknown, at: string, reading: Reading): Condition[] => {
  if (Array.isArray(value)) return compare(field, '$in', value, at, reading)
  if (!isObject(value)) return compare(field, '$eq', value, at, reading)
  const entries = Object.entries(value)
  if (entries.length === 0) wrong(reading, at, 'must name an operator, such as { "$gt": 10 }')
  const conditions: Condition[] = []
  for (const [name, operand] of entries) {
    if (reading.isOver) break
    const place = `${at}.${shorten(name)}`
    if (isOperator(name)) conditions.push(...compare(field, name, operand, place, reading))
    else wrong(reading, place, 'is not an operator', () => didYouMean(name, operatorNames))
  }
  return conditions
}

const compare = (
  field: string,
  operator: Operator,
  value: unknown,
  at: string,
  reading: Reading,
): Condition[] => {
  if (!countsAsOneMore(reading, at)) return []
  const { operand } = operatorOf(operator)
  const message = operand.formIssue(value) ?? budgetIssue(operand, value, reading)
  if (message === undefined) return [{ kind: 'compare', field, operator, value, at }]
  wrong(reading, at, message)
  return []
}

/** A condition, or an empty group, which is a node of the statement too. */
const countsAsOneMore = (reading: Reading, at: string): boolean => {
  reading.conditions += 1
  if (reading.conditions <= criteriaLimits.conditions) return true
  const most = criteriaLimits.conditions
  wrong(reading, at, `is condition number ${most + 1}; at most ${most} are allowed`)
  reading.isOver = true
  return false
}

const budgetIssue = (
  { isSearch }: Operand,
  value: unknown,
  reading: Reading,
): string | undefined => {
  if (Array.isArray(value)) {
    reading.listed += value.length
    if (reading.listed > criteriaLimits.listed)
      return `brings the listed values to ${reading.listed} in total; at most ${criteriaLimits.listed} are allowed`
  }
  if (!isSearch) return undefined
  reading.searches += 1
  return reading.searches > criteriaLimits.searches
    ? `is text search number ${reading.searches}; at most ${criteriaLimits.searches} are allowed`
    : undefined
}

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
  if (value.length > criteriaLimits.names) {
    wrong(reading, at, `has ${value.length} entries, at most ${criteriaLimits.names} are allowed`)
    return []
  }
  return value.flatMap((name: unknown, index) => {
    const place = `${at}[${index}]`
    if (typeof name !== 'string' || name === '')
      wrong(reading, place, `must be the name of a field, not ${kindOf(name)}`)
    else if (name.length > criteriaLimits.name) tooLong(reading, place)
    else return [{ name, at: place }]
    return []
  })
}

const readFlag = (value: unknown, at: string, reading: Reading): boolean => {
  if (value !== undefined && typeof value !== 'boolean')
    wrong(reading, at, `must be true or false, not ${kindOf(value)}`)
  return value === true
}

const tooLong = (reading: Reading, at: string) =>
  wrong(reading, at, `is longer than ${criteriaLimits.name} characters, so it names no field`)

const wrong = (reading: Reading, path: string, message: string, hint?: () => string): undefined => {
  addIssue(reading.issues, { path, message }, hint)
  if (isFull(reading.issues)) reading.isOver = true
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isOperator = (name: string): name is Operator => operatorNames.includes(name)
const isDefined = <T>(value: T | undefined): value is T => value !== undefined
