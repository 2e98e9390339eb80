/**
 * The kinds of values that operators compare with: the form that the parser requires, the check against a
 * column by the planner, and the schema for the API page.
 */
import { type DaySpan, dayOfMoment, movingSql, spanOfDay } from '../../database/moving-times.ts'
import { bound, type Sql } from '../../database/sql.ts'
import type { Column } from '../../definitions/catalog.ts'
import { checkSearchedText } from '../../definitions/values/check-text.ts'
import { type CheckResult, kindOf, malformed } from '../../definitions/values/check-value.ts'
import { namesMovingTime } from '../../definitions/values/rules/moving-time-names.ts'
import { type Calendar, readMovingTime } from '../../definitions/values/rules/moving-times.ts'
import { parseDate } from '../../definitions/values/timestamps.ts'
import { criteriaLimits } from './criteria-limits.ts'

/** What a value is compared as: bound, read from the clock of the statement, or all moments of a day. */
type Checked = CheckResult | { readonly computed: Sql } | { readonly span: DaySpan }

export type Operand = {
  /** Several values in an array, each with its own check and place. */
  readonly isList: boolean
  /** Searches in texts; a query may have a limited number of these. */
  readonly isSearch: boolean
  /** The issue of the form or the length of a value, or undefined. */
  readonly formIssue: (value: unknown) => string | undefined
  /** Checks one value against a column. */
  readonly check: (value: unknown, column: Column, calendar: Calendar) => Checked
  /** The value in an OpenAPI schema. */
  readonly schema: Readonly<Record<string, unknown>>
}

const anyValue = { type: ['string', 'number', 'boolean', 'null'] } as const

/**
 * Rules of a field (range, length, pattern) do not apply to search values, only its type; null finds empty
 * values.
 */
const checkAsField = (value: unknown, column: Column, calendar: Calendar): Checked => {
  const { type } = column
  if (value === null) return { value: null }
  if (namesMovingTime(value)) return checkMoving(value, column, calendar)
  const day = type.comparedKind === 'timestamp' && typeof value === 'string' && parseDate(value)
  return day
    ? { span: spanOfDay(bound(day, 'date'), calendar) }
    : type.checkSearched(value, calendar.timeZone)
}

/** A day is all of its moments where moments are compared, and a moment is its day where days are. */
const checkMoving = (
  value: Readonly<Record<string, unknown>>,
  { type, field }: Column,
  calendar: Calendar,
): Checked => {
  const kind = type.comparedKind
  if (kind !== 'date' && kind !== 'timestamp')
    return malformed(
      `"${Object.keys(value)[0]}" is a day or a moment, which a field of type ${field.type} does not hold`,
    )
  const read = readMovingTime(value)
  if ('issue' in read) return malformed(read.issue)
  const time = movingSql(read.moving, calendar)
  if ('day' in time)
    return kind === 'date' ? { computed: time.day } : { span: spanOfDay(time.day, calendar) }
  return { computed: kind === 'date' ? dayOfMoment(time.moment, calendar) : time.moment }
}

const lengthIssue = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length > criteriaLimits.value
    ? `has ${value.length} characters, at most ${criteriaLimits.value} are allowed`
    : undefined

const singleIssue = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && !namesMovingTime(value)
    ? `must be one value, not ${kindOf(value)}`
    : lengthIssue(value)

/** One value, or null. */
export const valueOperand: Operand = {
  isList: false,
  isSearch: false,
  formIssue: singleIssue,
  check: checkAsField,
  schema: anyValue,
}

/** One value, not null. */
export const presentOperand: Operand = {
  ...valueOperand,
  formIssue: (value) =>
    value === null
      ? 'must be one value, not null; find empty values with { "$null": true }'
      : singleIssue(value),
  schema: { type: ['string', 'number', 'boolean'] },
}

/** An array of values, which may contain null. */
export const listOperand: Operand = {
  ...valueOperand,
  isList: true,
  formIssue: (values) => {
    if (!Array.isArray(values)) return `must be an array, not ${kindOf(values)}`
    return values.length > criteriaLimits.listed
      ? `has ${values.length} entries, at most ${criteriaLimits.listed} are allowed`
      : values.map(lengthIssue).find((message) => message !== undefined)
  },
  schema: { type: 'array', items: anyValue, maxItems: criteriaLimits.listed },
}

// Blanks at the ends of a part may stand within the text.
const checkPart = (value: unknown, { type }: Column, isBeginning: boolean): CheckResult =>
  checkSearchedText(
    typeof value === 'string' ? type.searchedPart(value, isBeginning) : value,
    type.textForm === 'line' ? 'prose' : type.textForm,
  )

/** A text to search for; it may be a part of an enum value. */
const textOperand: Operand = {
  isList: false,
  isSearch: true,
  formIssue: (value) => {
    if (typeof value !== 'string') return `must be a string, not ${kindOf(value)}`
    return value.length > criteriaLimits.search
      ? `has ${value.length} characters, at most ${criteriaLimits.search} are allowed here`
      : undefined
  },
  check: (value, column) => checkPart(value, column, false),
  schema: { type: 'string' },
}

/** A text that others begin with. */
export const beginningOperand: Operand = {
  ...textOperand,
  check: (value, column) => checkPart(value, column, true),
}

// One element of a text or a list is compared with everything in a record.
const maxPartValues = 100

/** A part to search for: a text in a text; properties or elements in JSON. */
export const partOperand: Operand = {
  isList: false,
  isSearch: true,
  formIssue: (value) => {
    if (value === null || value === undefined)
      return `must be the value to search for, not ${kindOf(value)}`
    if (typeof value === 'string') return textOperand.formIssue(value)
    if (countValues(value) > maxPartValues)
      return `holds more than ${maxPartValues} values to look for`
    const { length } = JSON.stringify(value)
    return length > criteriaLimits.search
      ? `has ${length} characters as JSON, at most ${criteriaLimits.search} are allowed here`
      : undefined
  },
  check: (value, column, calendar) =>
    column.type.isStructured
      ? column.type.checkSearched(value, calendar.timeZone)
      : textOperand.check(value, column, calendar),
  schema: {},
}

/** Counts nested values, up to one more than are allowed. */
export const countValues = (value: unknown): number => {
  const waiting: unknown[] = [value]
  let count = 0
  for (
    let next = waiting.pop();
    next !== undefined && count <= maxPartValues;
    next = waiting.pop()
  ) {
    count += 1
    if (typeof next !== 'object' || next === null) continue
    for (const inner of Object.values(next)) {
      if (waiting.length > maxPartValues) return waiting.length
      waiting.push(inner)
    }
  }
  return count
}

/** A pattern of LIKE. */
export const patternOperand: Operand = {
  ...textOperand,
  formIssue: (value) => textOperand.formIssue(value) ?? patternIssue(String(value)),
  check: (value, column) => checkPart(value, column, !String(value).startsWith('%')),
}

const patternIssue = (pattern: string): string | undefined => {
  const wildcards = pattern.split('%').length - 1
  if (wildcards > criteriaLimits.wildcards)
    return `contains "%" ${wildcards} times; at most ${criteriaLimits.wildcards} are allowed`
  return endsInEscape(pattern)
    ? 'must not end with a single backslash, which escapes the character after it'
    : undefined
}

const endsInEscape = (text: string): boolean => {
  let end = text.length
  while (end > 0 && text[end - 1] === '\\') end -= 1
  return (text.length - end) % 2 === 1
}

/** true or false, whatever the column holds. */
export const presenceOperand: Operand = {
  isList: false,
  isSearch: false,
  formIssue: (value) =>
    typeof value === 'boolean' ? undefined : `must be true or false, not ${kindOf(value)}`,
  check: (value) => ({ value: value === true }),
  schema: { type: 'boolean' },
}
