/**
 * A row for each type of field: how its values are read, entered, compared and shown. A new type is a row here, and its name
 * in the texts of the definitions (`texts/<language>/administration.ts`). A new kind of input has a row in `values/field-input.tsx`, too,
 * and, where people type it, in `lines/paste.ts` (pasted cells), `filter/operand-input.tsx` (conditions) and
 * `values/value-issue.tsx` (what is wrong with it). What the service needs of a type is named in `src/definitions/field-types.ts`.
 */
import type { Operator } from '../../../src/definitions/values/rules/operators.ts'
import type { Field } from '../../api/types.ts'
import {
  definedName,
  formatMoment,
  nameOfChoice,
  type Print,
  printDay,
  printNumber,
  type Reading,
  unitTextOf,
} from './format-value.ts'
import { printPhone } from './phone-numbers.ts'

/** Periods around today that people choose by name. */
export const periodNames = [
  'today',
  'beforeToday',
  'yesterday',
  'tomorrow',
  'thisWeek',
  'lastWeek',
  'nextWeek',
  'thisMonth',
  'lastMonth',
  'nextMonth',
  'thisQuarter',
  'thisYear',
  'lastYear',
  'last7Days',
  'last30Days',
  'next7Days',
  'next30Days',
] as const
export type Period = (typeof periodNames)[number]

export const isPeriodName = (name: string): name is Period =>
  periodNames.some((one) => one === name)

/** The patterns that have a name of their own. */
export type Pattern = 'has' | 'begins' | 'ends'

/** How people compare: by an operator, by a pattern, with a period around today, or whether there is a value. */
export type Comparison = Exclude<Operator, '$null'> | Pattern | Period | 'empty' | 'filled'

export type InputKind =
  | 'line'
  | 'area'
  | 'email'
  | 'url'
  | 'phone'
  | 'whole'
  | 'decimal'
  | 'yesNo'
  | 'day'
  | 'moment'
  | 'choice'
  | 'json'
  | 'link'
  | 'files'
  | 'none'

export type ReadingFault = 'missing' | 'number' | 'whole' | 'range' | 'day' | 'moment' | 'choice'

type Check = (text: string, field: Field) => ReadingFault | undefined

type FieldKind = {
  readonly print: Print
  readonly input: InputKind
  /** The comparisons that a filter offers, the usual one first. */
  readonly comparisons: readonly Comparison[]
  /** Fields of the same word can be compared with each other. */
  readonly comparedAs?: 'text' | 'number' | 'day' | 'moment'
  /** Why the service could not read a text of a condition. */
  readonly faultOf?: Check
  /** What its texts may be the address of; a `number` is a telephone's in E.164. */
  readonly address?: 'web' | 'mail' | 'telephone' | 'number'
  readonly time?: 'day' | 'moment'
  /** Texts that people type without a form: a condition asks for them in one line. */
  readonly isFreeText?: true
  /** Digits of a column stand below each other. */
  readonly isNumber?: true
  /** Numbers with decimals; the amount of a record is one of them. */
  readonly hasDecimals?: true
  /** Short texts that may say what a record is about. */
  readonly isTitle?: true
  /** Values that are too long for a line about a record. */
  readonly isLong?: true
  /** Values with parts of their own: cells do not edit them, and nothing is sorted or grouped by them. */
  readonly isStructured?: true
  /** Files, which are shown by small pictures. */
  readonly isFiles?: true
  /** A link to one record. */
  readonly isLink?: true
  /** Records of another entity that link to this one. */
  readonly isList?: true
}

const presence = ['empty', 'filled'] as const
const equality: readonly Comparison[] = ['$eq', '$ne', '$in', '$nin', ...presence]
const texts: readonly Comparison[] = ['has', 'begins', 'ends', ...equality]
const numbers: readonly Comparison[] = [
  ...(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin'] as const),
  ...presence,
]
// Amounts are compared with a limit more often than with one exact value.
const amounts: readonly Comparison[] = [
  ...(['$gte', '$lte', '$gt', '$lt', '$eq', '$ne', '$in', '$nin'] as const),
  ...presence,
]
const times: readonly Comparison[] = [
  ...(['$gte', '$lte', '$gt', '$lt', '$eq', '$ne'] as const),
  ...presence,
  ...periodNames,
]
// Choices have the order of their definition.
const choices: readonly Comparison[] = [
  ...(['$eq', '$ne', '$in', '$nin', '$gte', '$lte', '$gt', '$lt'] as const),
  ...presence,
]

const asText: Print = (value) => String(value)

const whole: Check = (text) => (/^-?\d+$/.test(text) ? undefined : 'whole')
const smallest = -(2n ** 31n)
const largest = 2n ** 31n - 1n

const small: Check = (text, field) => {
  const fault = whole(text, field)
  if (fault) return fault
  return BigInt(text) < smallest || BigInt(text) > largest ? 'range' : undefined
}

const freeText = {
  print: asText,
  comparisons: texts,
  comparedAs: 'text',
  isFreeText: true,
} as const
type NamedFile = { readonly filename: string }
const ofFiles = {
  print: (value: unknown) =>
    [value as NamedFile]
      .flat()
      .map(({ filename }) => filename)
      .join('; '),
  input: 'files',
  comparisons: presence,
  isStructured: true,
  isFiles: true,
} as const

const number = { print: printNumber, comparedAs: 'number', isNumber: true } as const

const fieldKinds: Readonly<Record<Field['type'], FieldKind>> = {
  string: {
    ...freeText,
    print: (value, field) => definedName(String(value), field) ?? String(value),
    input: 'line',
    address: 'telephone',
    isTitle: true,
  },
  text: { ...freeText, input: 'area', isLong: true },
  email: { ...freeText, input: 'email', address: 'mail' },
  url: { ...freeText, input: 'url', address: 'web' },
  phone: { ...freeText, print: printPhone, input: 'phone', address: 'number' },
  integer: { ...number, input: 'whole', comparisons: numbers, faultOf: small },
  bigint: { ...number, input: 'whole', comparisons: numbers, faultOf: whole },
  decimal: {
    ...number,
    input: 'decimal',
    comparisons: amounts,
    faultOf: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? undefined : 'number'),
    hasDecimals: true,
  },
  boolean: {
    print: (value, _field, { words }) => (value === true ? words.yes : words.no),
    input: 'yesNo',
    comparisons: ['$eq', ...presence],
    faultOf: (text) => (text === 'true' || text === 'false' ? undefined : 'choice'),
  },
  date: {
    print: printDay,
    input: 'day',
    comparisons: times,
    comparedAs: 'day',
    faultOf: (text) => (/^\d{4,}-\d{2}-\d{2}$/.test(text) ? undefined : 'day'),
    time: 'day',
  },
  timestamp: {
    print: (value, _field, reading) => formatMoment(String(value), reading),
    input: 'moment',
    comparisons: times,
    comparedAs: 'moment',
    // The service takes a day too, which begins it.
    faultOf: (text) => (/^[+-]?\d{4,}-\d{2}-\d{2}(T|$)/.test(text) ? undefined : 'moment'),
    time: 'moment',
  },
  enum: {
    print: (value, field) => nameOfChoice(String(value), field),
    input: 'choice',
    comparisons: choices,
    comparedAs: 'text',
    faultOf: (text, { values = [] }) => (values.includes(text) ? undefined : 'choice'),
  },
  json: {
    print: (value) => JSON.stringify(value),
    input: 'json',
    comparisons: ['$contains', ...presence],
    isLong: true,
    isStructured: true,
  },
  file: ofFiles,
  files: ofFiles,
  manyToOne: {
    print: asText,
    input: 'link',
    comparisons: equality,
    faultOf: small,
    isLink: true,
  },
  oneToMany: { print: asText, input: 'none', comparisons: [], isStructured: true, isList: true },
}

export const kindOf = ({ type }: Pick<Field, 'type'>): FieldKind => fieldKinds[type]

/** The comparisons of a field, the usual one first; a step is a choice. */
export const comparisonsOf = (field: Field): readonly Comparison[] =>
  field.column === '_step' ? choices : kindOf(field).comparisons

/** The text of a value; empty for none. A unit that differs by record is given. */
export const formatValue = (
  value: unknown,
  field: Field,
  reading: Reading,
  unit = unitTextOf(field.unit),
): string =>
  value === null || value === undefined ? '' : kindOf(field).print(value, field, reading, unit)
