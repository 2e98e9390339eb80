/**
 * Days and minutes that moments are compared with. Who compares with a day means all of it, and who types a time its minute: so a
 * rule of criteria has the first and the last millisecond of what was typed.
 */
import { namesMovingTime } from '../../../src/definitions/values/rules/moving-time-names.ts'
import type { Operator } from '../../../src/definitions/values/rules/operators.ts'
import type { Field } from '../../api/types.ts'
import { kindOf } from '../format/field-kinds.ts'
import {
  dayMs,
  dayOf,
  fromLocalTime,
  isMoment,
  localTextOf,
  timeOf,
  toLocalTime,
} from '../values/local-text.ts'
import { type FilterRule, isSpan, type Span } from './filter.ts'

const units = [dayMs, 60_000, 1_000] as const

/** What a moment was typed as: the largest unit that begins with it. */
const spanFrom = (first: string, timeZone: string): Span => {
  const local = timeOf(toLocalTime(first, timeZone))
  const unit = local === undefined ? undefined : units.find((one) => local % one === 0)
  if (local === undefined || unit === undefined) return { first, last: first }
  const last = fromLocalTime(localTextOf(local + unit - 1, true), timeZone, first) ?? first
  // An hour that comes twice is in the span as a whole.
  return { first, last: last < first ? first : last }
}

/** The beginning of what ends with a moment. */
const beginningOf = (last: string, timeZone: string): string => {
  const local = timeOf(toLocalTime(last, timeZone))
  const unit = local === undefined ? undefined : units.find((one) => (local + 1) % one === 0)
  if (local === undefined || unit === undefined) return last
  return fromLocalTime(localTextOf(local + 1 - unit, true), timeZone, last) ?? last
}

const afterEnd: ReadonlySet<Operator> = new Set(['$gt', '$lte'])
const within: ReadonlySet<Operator> = new Set(['$eq', '$ne'])

const hasMoments = (field: Field | undefined): boolean =>
  field !== undefined && kindOf(field).time === 'moment'

const isOfMoment = (field: Field | undefined, value: unknown): value is string =>
  hasMoments(field) && typeof value === 'string' && isMoment(value)

/** The rule that means what was typed. */
export const withSpan = (
  rule: FilterRule,
  field: Field | undefined,
  timeZone: string,
): FilterRule => {
  const { operator, value } = rule
  if (!isOfMoment(field, value)) return rule
  const span = spanFrom(value, timeZone)
  if (within.has(operator)) return span.last === span.first ? rule : { ...rule, value: span }
  return afterEnd.has(operator) ? { ...rule, value: span.last } : rule
}

/** The rule as it was typed. */
export const withoutSpan = (
  rule: FilterRule,
  field: Field | undefined,
  timeZone: string,
): FilterRule => {
  const { operator, value } = rule
  if (isSpan(value)) return { ...rule, value: value.first }
  if (!isOfMoment(field, value) || !afterEnd.has(operator)) return rule
  return { ...rule, value: beginningOf(value, timeZone) }
}

/** Whether a moment has a time, as it was typed: others are the day that begins with them. */
export const isTimed = (field: Field | undefined, value: unknown, timeZone: string): boolean => {
  if (namesMovingTime(value)) return hasMoments(field) && '$now' in value
  if (!isOfMoment(field, value))
    return hasMoments(field) && typeof value === 'string' && value !== ''
  const local = timeOf(toLocalTime(value, timeZone))
  return local === undefined || local !== dayOf(local)
}
