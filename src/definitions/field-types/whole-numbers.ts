/** The field types that hold whole numbers: integer and bigint. */

import { Type } from '../schemas/schema-builder.ts'
import { checkBigint, checkInteger, largest, smallest } from '../values/rules/numbers.ts'
import { asText, fieldType, ownValues, type ReadText, rangeNotes } from './field-type.ts'
import { calculated, fieldOf, grouping, scalar, unit } from './schema-parts.ts'

/** Every type whose values are 32-bit numbers. */
export const integral = {
  cast: 'integer',
  comparison: 'ordered',
  comparedKind: 'number',
  cell: 'integer',
  csvText: asText,
  jsonText: asText,
  fromCsv: (text: string) => readWhole(text, Number(text)),
} as const

const readWhole = (text: string, value: number | string): ReadText =>
  /^-?\d+$/.test(text)
    ? { value }
    : {
        message: `must be a whole number, not ${JSON.stringify(text.slice(0, 40))}`,
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
    fromCsv: (text) => readWhole(text, text),
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
