/** Required values and defaults of new records. */
import type { Column } from '../catalog.ts'
import { isObject, type SqlValue } from './check-value.ts'
import { namesMovingTime } from './rules/moving-time-names.ts'
import { type Calendar, type Clock, presentValue, readMovingTime } from './rules/moving-times.ts'

/** Whether every record must have a value of this field. */
export const isRequired = ({ field }: Pick<Column, 'field'>): boolean =>
  'required' in field && field.required === true

/** Whether a new record gets a value without one in the request. */
export const hasDefault = ({ field }: Pick<Column, 'field'>): boolean =>
  (givenDefault(field) ?? null) !== null

/** Whether the default moves with the clock, so that no other record has it. */
export const hasMovingDefault = ({ field }: Pick<Column, 'field'>): boolean =>
  field.type !== 'json' && namesMovingTime(givenDefault(field))

/** The field or the link of its caller that a new record takes as its default; undefined: it has another default, or none. */
export const callerDefaultOf = (field: Column['field']): string | undefined => {
  const value = givenDefault(field)
  if (field.type === 'json' || !isObject(value)) return undefined
  return typeof value.$caller === 'string' ? value.$caller : undefined
}

/** The default value of a new record, in the calendar of the project. */
export const defaultOf = (column: Column, calendar: Calendar): SqlValue =>
  presentValueOf(column, givenDefault(column.field), calendar)

/** A value of the definitions for a field, which may move with the clock, as it is now. */
export const presentValueOf = (
  { field, type }: Column,
  given: unknown,
  calendar: Calendar,
): SqlValue => {
  if (given === undefined || given === null) return null
  const value =
    field.type === 'json' || !isObject(given) ? given : momentNow(given, field.type, calendar)
  const result = type.check(value, calendar.timeZone)
  return 'value' in result ? result.value : null
}

/** What is wrong with a value of the definitions for a field. */
export const givenValueIssue = (
  { field, type }: Pick<Column, 'field' | 'type'>,
  value: unknown,
  timeZone: string,
): string | undefined => {
  const moves = field.type === 'date' || field.type === 'timestamp'
  if (moves && isObject(value)) {
    const read = readMovingTime(value)
    return 'issue' in read ? read.issue : undefined
  }
  const result = type.check(value, timeZone)
  return 'rule' in result ? result.message : undefined
}

const momentNow = (
  given: Readonly<Record<string, unknown>>,
  type: Column['field']['type'],
  { timeZone, firstDayOfWeek }: Calendar,
): unknown => {
  const read = readMovingTime(given)
  if ('issue' in read) return null
  return presentValue(
    read.moving,
    type === 'date' ? type : 'timestamp',
    clockIn(timeZone),
    firstDayOfWeek,
  )
}

const clockIn = (timeZone: string): Clock => ({
  now: Date.now(),
  toLocal: (moment) =>
    Temporal.Instant.from(moment)
      .toZonedDateTimeISO(timeZone)
      .toPlainDateTime()
      .toString({ smallestUnit: 'millisecond' }),
  fromLocal: (local) =>
    Temporal.PlainDateTime.from(local)
      .toZonedDateTime(timeZone)
      .toInstant()
      .toString({ smallestUnit: 'millisecond' }),
})

const givenDefault = (field: Column['field']): unknown => (field as { default?: unknown }).default
