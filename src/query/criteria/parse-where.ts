/**
 * Parses `$where`: groups, fields, operators, conditions on the records of one-to-many fields, and values that name a field:
 * `{ "$field": path }` of the same record, `{ "$caller": path }` of the caller. Only the shape: the planner checks names, types and
 * times that move.
 */
import { isObject, kindOf } from '../../definitions/values/check-value.ts'
import { movingKeys, namesMovingTime } from '../../definitions/values/rules/moving-time-names.ts'
import {
  isOperator,
  type Operator,
  operatorNames,
} from '../../definitions/values/rules/operators.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { shorten } from '../../issues.ts'
import {
  type Condition,
  callerPathsIn,
  type Reference,
  readableIn,
  referencesIn,
} from './criteria.ts'
import { criteriaLimits } from './criteria-limits.ts'
import type { Operand } from './operand.ts'
import { operatorOf, relations } from './operators.ts'
import { type Reading, tooLong, wrong } from './reading.ts'

/** A group: fields with conditions, and operators that combine groups. */
export const readGroup = (
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
    return [readGroups(key === '$and' ? 'and' : 'or', value, at, depth, reading)].filter(isDefined)
  if (key === '$not') {
    const condition = readGroup(value, at, depth + 1, reading)
    if (!condition) return []
    if (readableIn(condition).length > 0)
      wrong(reading, at, 'must not contain "$readable": more rights would show less')
    for (const of of new Set(referencesIn(condition).map((one) => one.of)))
      wrong(reading, at, negated[of])
    return [{ kind: 'not', condition }]
  }
  if (key.startsWith('$')) {
    if (isOperator(key) || isQuantifier(key))
      wrong(reading, at, 'must be inside a field, such as { "total": { "$gt": "10" } }')
    else wrong(reading, at, 'is not an operator', () => didYouMean(key, ['$and', '$or', '$not']))
    return []
  }
  return readField(key, value, at, depth, reading)
}

const negated: Readonly<Record<Reference['of'], string>> = {
  record:
    'must not contain "$field": it would hold where one of the fields is empty; use the opposite operator, and "$null" for empty fields',
  caller: 'must not contain "$caller": it would hold where that value is empty',
}

const readGroups = (
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
const readField = (
  field: string,
  value: unknown,
  at: string,
  depth: number,
  reading: Reading,
): Condition[] => {
  if (Array.isArray(value)) return compare(field, '$in', value, at, reading)
  if (!isObject(value) || namesReference(value, reading) || namesMovingTime(value))
    return compare(field, '$eq', value, at, reading)
  const entries = Object.entries(value)
  if (entries.length === 0) wrong(reading, at, 'must name an operator, such as { "$gt": 10 }')
  const conditions: Condition[] = []
  for (const [name, operand] of entries) {
    if (reading.isOver) break
    const place = `${at}.${shorten(name)}`
    if (isOperator(name)) conditions.push(...compare(field, name, operand, place, reading))
    else if (isQuantifier(name))
      conditions.push(...readList(field, name, operand, place, depth, reading))
    else if (name === '$readable' && reading.asksReadable)
      conditions.push(...readReadable(field, operand, place, reading))
    else wrong(reading, place, 'is not an operator', () => didYouMean(name, namesInField))
  }
  return conditions
}

const readReadable = (field: string, value: unknown, at: string, reading: Reading): Condition[] => {
  if (!countsAsOneMore(reading, at)) return []
  if (reading.lists > 0) wrong(reading, at, 'must not be inside of "$some" or "$none"')
  if (value === true) return [{ kind: 'readable', field, at }]
  wrong(reading, at, 'must be true: it lets through what follows a record that the user may read')
  return []
}

/** What is asked of the records of a one-to-many field. */
const quantifiers = ['$some', '$none'] as const
type Quantifier = (typeof quantifiers)[number]

const isQuantifier = (name: string): name is Quantifier => quantifiers.some((one) => one === name)

const namesInField = [...operatorNames, ...quantifiers, ...movingKeys]

/** Whether at least one of the records meets a group, or none. */
const readList = (
  list: string,
  quantifier: Quantifier,
  value: unknown,
  at: string,
  depth: number,
  reading: Reading,
): Condition[] => {
  if (!countsAsOneMore(reading, at)) return []
  if (reading.lists === criteriaLimits.lists) {
    const most = criteriaLimits.lists
    wrong(
      reading,
      at,
      `is inside of ${most} others of "$some" and "$none"; at most ${most} are allowed`,
    )
    return []
  }
  reading.lists += 1
  const condition = readGroup(value, at, depth + 1, reading)
  reading.lists -= 1
  if (!condition) return []
  const some = { kind: 'some', list, condition, at } as const
  if (quantifier === '$some') return [some]
  if (callerPathsIn(condition).length > 0) wrong(reading, at, negated.caller)
  return [{ kind: 'not', condition: some }]
}

const compare = (
  field: string,
  operator: Operator,
  value: unknown,
  at: string,
  reading: Reading,
): Condition[] => {
  if (!countsAsOneMore(reading, at)) return []
  const node = { kind: 'compare', field, operator, value, at } as const
  const { operand, relation } = operatorOf(operator)
  const reference = readReference(value, reading)
  // What a condition of a write reads of the caller is locked, which a list is not.
  const isList = operator === '$in' && reference?.key === '$caller' && reading.asksReadable
  if (reference && (relation || isList)) {
    if ('named' in reference) return [{ ...node, reference: reference.named }]
    wrong(reading, at, reference.issue)
    return []
  }
  const form = operand.formIssue(value)
  // A JSON value may itself have a member "$field".
  const isRefused = reference !== undefined && (form !== undefined || reference.key === '$caller')
  const message = isRefused
    ? refusedReference(reference.key)
    : (form ?? budgetIssue(operand, value, reading))
  if (message === undefined) return [node]
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
  reading.movingTimes += (Array.isArray(value) ? value : [value]).filter(namesMovingTime).length
  if (reading.movingTimes > criteriaLimits.movingTimes)
    return `brings the values that move with the clock to ${reading.movingTimes} in total; at most ${criteriaLimits.movingTimes} are allowed`
  if (!isSearch) return undefined
  reading.searches += 1
  return reading.searches > criteriaLimits.searches
    ? `is text search number ${reading.searches}; at most ${criteriaLimits.searches} are allowed`
    : undefined
}

const isDefined = <T>(value: T | undefined): value is T => value !== undefined

/** Which keys name a field of what. */
const keys = { $field: 'record', $caller: 'caller' } as const satisfies Readonly<
  Record<string, Reference['of']>
>
type Key = keyof typeof keys

const keyIn = (value: unknown, { namesCaller }: Reading): Key | undefined => {
  if (!isObject(value)) return undefined
  const allowed: readonly Key[] = namesCaller ? ['$field', '$caller'] : ['$field']
  return allowed.find((key) => key in value)
}

/** Whether a value, of any form, has a key that names a field. */
const namesReference = (value: unknown, reading: Reading): boolean =>
  keyIn(value, reading) !== undefined

type ReadReference = { readonly key: Key } & (
  | { readonly named: Reference }
  | { readonly issue: string }
)

/** The field that a value names, or what is wrong with it; undefined for any other value. */
const readReference = (value: unknown, reading: Reading): ReadReference | undefined => {
  const key = keyIn(value, reading)
  if (key === undefined || !isObject(value)) return undefined
  const path = value[key]
  if (typeof path !== 'string' || path === '' || Object.keys(value).length > 1)
    return { key, issue: `must name one field or path and nothing else, as { "${key}": "name" }` }
  return path.length > criteriaLimits.name
    ? { key, issue: `is longer than ${criteriaLimits.name} characters, so it names no field` }
    : { key, named: { of: keys[key], path } }
}

/** The issue of an operator that does not compare with a field. */
const refusedReference = (key: Key): string => {
  const names = relations.map((name) => `"${name}"`)
  const list = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  return `does not take "${key}"; compare by ${list}`
}
