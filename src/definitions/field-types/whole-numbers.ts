/** The field types that hold whole numbers: integer and bigint. */

import { Type } from '../schemas/schema-builder.ts'
import {
  type CheckResult,
  inRange,
  kindOf,
  malformed,
  refused,
  shown,
} from '../values/check-value.ts'
import { compareDecimals } from './decimal.ts'
import { asText, fieldType, ownValues, type ReadText, rangeNotes } from './field-type.ts'
import { calculated, fieldOf, grouping, scalar, unit } from './schema-parts.ts'

const smallest = -2147483648
const largest = 2147483647

/** Every type whose values are 32-bit numbers. */
export const integral = {
  cast: 'integer',
  comparison: 'ordered',
  comparedKind: 'number',
  cell: 'integer',
  csvText: asText,
  jsonText: asText,
  fromCsv: (text: string): ReadText =>
    /^-?\d+$/.test(text)
      ? { value: Number(text) }
      : { message: `must be a whole number, not ${JSON.stringify(text.slice(0, 40))}` },
} as const

/** Checks a whole number of 32 bits. */
export const checkInteger = (
  value: unknown,
  field: { readonly min?: number | undefined; readonly max?: number | undefined },
): CheckResult => {
  if (typeof value !== 'number' || !Number.isInteger(value))
    return malformed(`must be a whole number, not ${kindOf(value)}`)
  if (value < smallest || value > largest)
    return refused(`must be between ${smallest} and ${largest}`)
  return inRange(value, field, (a, b) => a - b)
}

/** A whole number of 32 bits. */
export const integer = fieldType(
  fieldOf('integer', 'A whole number of 32 bits.', {
    ...scalar,
    ...calculated,
    default: Type.Optional(Type.Integer()),
    min: Type.Optional(Type.Integer({ description: 'Smallest value allowed.' })),
    max: Type.Optional(Type.Integer({ description: 'Largest value allowed.' })),
    unit,
    grouping,
  }),
  integral,
  (field) => ({
    sqlType: () => 'integer',
    width: 10,
    check: (value) => checkInteger(value, field),
    checkSearched: (value) => checkInteger(value, {}),
    jsonSchema: {
      type: 'integer',
      minimum: field.min ?? smallest,
      maximum: field.max ?? largest,
    },
    examples: () => [field.default, 12, 3, ...ownValues(field)],
  }),
)

const digits = () =>
  Type.Optional(Type.Union([Type.Integer(), Type.String({ pattern: '^-?[0-9]+$' })]))

const wholeNumber = (value: unknown): bigint | undefined => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'string' && /^-?\d{1,30}$/.test(value)) return BigInt(value)
  return undefined
}

type BigRange = { readonly min?: number | string; readonly max?: number | string }

const checkBigint = (value: unknown, { min, max }: BigRange): CheckResult => {
  const number = wholeNumber(value)
  if (number === undefined)
    return malformed(
      `must be a whole number, or a string of digits beyond the safe range of JSON numbers, not ${shown(value)}`,
    )
  if (BigInt.asIntN(64, number) !== number)
    return refused('must be between -9223372036854775808 and 9223372036854775807')
  const range = { min: min?.toString(), max: max?.toString() }
  return inRange(number.toString(), range, compareDecimals)
}

/** A whole number of 64 bits. */
export const bigint = fieldType(
  fieldOf('bigint', 'A whole number of 64 bits.', {
    ...scalar,
    ...calculated,
    default: digits(),
    min: digits(),
    max: digits(),
    unit,
    grouping,
  }),
  {
    cast: 'bigint',
    comparison: 'ordered',
    comparedKind: 'number',
    cell: 'bigint',
    csvText: asText,
    jsonText: (column) =>
      `CASE WHEN ${column} BETWEEN -9007199254740991 AND 9007199254740991
        THEN ${column}::text
        ELSE '"'||${column}||'"' END`,
    toJson: (value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value),
  },
  (field) => ({
    sqlType: () => 'bigint',
    width: 18,
    check: (value) => checkBigint(value, field),
    checkSearched: (value) => checkBigint(value, {}),
    jsonSchema: {
      oneOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?[0-9]+$' }],
      description: 'A string outside the safe range of a JSON number.',
    },
    notes: rangeNotes(field),
    examples: () => [field.default, 1_250_000, ...ownValues(field)],
  }),
)
