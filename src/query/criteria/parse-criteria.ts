/** Parses query criteria from a body, with `$aggregate` and `$group`: only the shape; the planner checks names and types. */
import { isObject, kindOf } from '../../definitions/values/check-value.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { validationError } from '../../errors.ts'
import { type Issue, shorten } from '../../issues.ts'
import { wordsOf } from '../search/word-pattern.ts'
import { type AggregateName, aggregates } from './aggregates.ts'
import {
  type Aggregation,
  type Condition,
  type Criteria,
  noCriteria,
  type Ordering,
  type Totals,
  type Turn,
} from './criteria.ts'
import { criteriaLimits } from './criteria-limits.ts'
import { readGroup } from './parse-where.ts'
import { newReading, type Reading, readNames, wrong } from './reading.ts'

const rowKeys = ['$where', '$search', '$orderBy', '$select', '$count']
const searchKeys = ['$after', '$before', '$aggregate', '$group']
const knownKeys = [...rowKeys, ...searchKeys]

/** Throws criteria.invalid with every issue of the shape. No body means all records. */
export const parseCriteria = (body: unknown, use: 'search' | 'rows' = 'search'): Criteria => {
  if (body === undefined || body === null) return noCriteria
  const reading = newReading()
  if (!isObject(body))
    throw validationError('criteria.invalid', [
      { path: '', message: `must be an object, not ${kindOf(body)}` },
    ])
  checkKeys(body, use, reading)
  const criteria: Criteria = {
    where: body.$where === undefined ? undefined : readGroup(body.$where, '$where', 0, reading),
    search: readSearch(body.$search, reading),
    orderBy: readNames(body.$orderBy, '$orderBy', reading).map(parseOrdering),
    select:
      body.$select === undefined
        ? undefined
        : readNames(body.$select, '$select', reading).map(({ name }) => name),
    count: readCount(body.$count, '$count', reading),
    turn: readTurn(body, reading),
    totals: readTotals(body, reading),
  }
  if (reading.issues.length > 0) throw validationError('criteria.invalid', reading.issues)
  return criteria
}

const checkKeys = (
  body: Readonly<Record<string, unknown>>,
  use: 'search' | 'rows',
  reading: Reading,
): void => {
  for (const key of Object.keys(body)) {
    if (reading.isOver) break
    if (!knownKeys.includes(key))
      wrong(reading, key, 'is not a key of query criteria', () => didYouMean(key, knownKeys))
    else if (use === 'rows' && searchKeys.includes(key)) wrong(reading, key, 'is only for searches')
  }
}

/** `-total` is descending; used for `$orderBy` and for `?sort=`. */
export const parseOrdering = ({ name, at }: { name: string; at: string }): Ordering => ({
  field: name.replace(/^[-+]/, ''),
  descending: name.startsWith('-'),
  at,
})

/** Parses a bare `$where` object, such as the condition of a notification or of an action. */
export const parseWhere = (
  value: unknown,
  {
    namesCaller = false,
    asksReadable = false,
  }: { readonly namesCaller?: boolean; readonly asksReadable?: boolean } = {},
): { condition: Condition | undefined; issues: Issue[] } => {
  const reading = newReading(namesCaller, asksReadable)
  return { condition: readGroup(value, '$where', 0, reading), issues: reading.issues }
}

const readSearch = (value: unknown, reading: Reading): readonly string[] => {
  if (value === undefined) return []
  const result = wordsOf(value)
  if ('words' in result) return result.words
  wrong(reading, '$search', result.issue)
  return []
}

/** true: all that match; a number: the count stops there. */
const readCount = (value: unknown, at: string, reading: Reading): boolean | number => {
  if (value === undefined || typeof value === 'boolean') return value === true
  const most = criteriaLimits.counted
  if (typeof value !== 'number') wrong(reading, at, `must be true or false, not ${kindOf(value)}`)
  else if (!Number.isInteger(value) || value < 1 || value > most)
    wrong(reading, at, `must be true, false or a whole number from 1 to ${most}`)
  else return value
  return false
}

/** A cursor, or null for an end of the order. */
const readTurn = (body: Readonly<Record<string, unknown>>, reading: Reading): Turn | undefined => {
  const named = (['$after', '$before'] as const).filter((key) => body[key] !== undefined)
  const [at] = named
  if (at === undefined) return undefined
  const cursor = body[at]
  if (named.length > 1) return wrong(reading, '$before', 'cannot be combined with $after')
  if (cursor !== null && typeof cursor !== 'string')
    return wrong(
      reading,
      at,
      `must be a cursor of an earlier answer or null, not ${kindOf(cursor)}`,
    )
  if (cursor !== null && cursor.length > criteriaLimits.cursor)
    return wrong(
      reading,
      at,
      `is longer than ${criteriaLimits.cursor} characters, so it is no cursor`,
    )
  return { at, cursor }
}

const aggregateNames = Object.keys(aggregates)
const isAggregate = (name: string): name is AggregateName => aggregateNames.includes(name)

/** Undefined if the body asks for neither. */
const readTotals = (
  { $aggregate, $group }: Readonly<Record<string, unknown>>,
  reading: Reading,
): Totals | undefined => {
  if ($aggregate === undefined && $group === undefined) return undefined
  const group = readNames($group, '$group', reading, criteriaLimits.groupedBy)
  return {
    aggregations: $aggregate === undefined ? undefined : readAggregations($aggregate, reading),
    group: $group === undefined ? undefined : group.map(({ name, at }) => ({ path: name, at })),
  }
}

const readAggregations = (value: unknown, reading: Reading): readonly Aggregation[] => {
  const most = criteriaLimits.aggregations
  if (!isObject(value)) {
    wrong(reading, '$aggregate', `must be an object, not ${kindOf(value)}`)
    return []
  }
  const found: Aggregation[] = []
  for (const [name, fields] of Object.entries(value)) {
    if (reading.isOver) break
    const at = `$aggregate.${shorten(name)}`
    if (!isAggregate(name))
      wrong(reading, at, 'is not a function', () => didYouMean(name, aggregateNames))
    else
      for (const field of readNames(fields, at, reading))
        found.push({ name, path: field.name, at: field.at })
  }
  if (found.length > most)
    wrong(reading, '$aggregate', `has ${found.length} fields, at most ${most} are allowed`)
  else if (found.length === 0 && reading.issues.length === 0)
    wrong(reading, '$aggregate', 'must name a function, such as { "sum": ["total"] }')
  return found
}
