/** Parses query criteria from a body: only the shape; the planner checks names and types. */
import { kindOf } from '../../definitions/values/check-value.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { validationError } from '../../errors.ts'
import type { Issue } from '../../issues.ts'
import { wordsOf } from '../search/words.ts'
import { type Condition, type Criteria, noCriteria, type Ordering, type Turn } from './criteria.ts'
import { criteriaLimits } from './criteria-limits.ts'
import { readTotals } from './parse-totals.ts'
import { readGroup } from './parse-where.ts'
import { isObject, newReading, type Reading, readNames, wrong } from './reading.ts'

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
  at: string,
  { namesCaller = false }: { readonly namesCaller?: boolean } = {},
): { condition: Condition | undefined; issues: Issue[] } => {
  const reading = newReading(namesCaller)
  return { condition: readGroup(value, at, 0, reading), issues: reading.issues }
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
