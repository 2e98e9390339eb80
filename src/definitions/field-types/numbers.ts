/** The field types of numbers: integer, bigint and decimal, which is exact and sent as a string. */
import { Type } from '../schemas/schema-builder.ts'
import { shown } from '../values/check-value.ts'
import {
  checkBigint,
  checkDecimal,
  checkInteger,
  largest,
  smallest,
} from '../values/rules/numbers.ts'
import {
  asJsonString,
  asText,
  fieldType,
  ownValues,
  type ReadText,
  rangeNotes,
} from './field-type.ts'
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

const decimalText = (description: string) =>
  Type.Optional(Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$', description }))

const readDecimal = (text: string): ReadText =>
  /^-?\d+(\.\d+)?$/.test(text)
    ? { value: text }
    : {
        message: `must be a number with a point before its decimals and no other marks, such as 1250.50, not ${shown(text)}`,
      }

export const decimal = fieldType(
  fieldOf('decimal', 'An exact decimal number; sent as a string.', {
    ...scalar,
    ...calculated,
    default: decimalText('A decimal number as a string.'),
    precision: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'Total number of digits.' }),
    ),
    scale: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1000, description: 'Digits after the point.' }),
    ),
    min: decimalText('Smallest value allowed.'),
    max: decimalText('Largest value allowed.'),
    unit,
  }),
  {
    cast: 'numeric',
    comparison: 'ordered',
    comparedKind: 'number',
    cell: 'decimal',
    csvText: asText,
    jsonText: asJsonString,
    fromCsv: readDecimal,
  },
  (field) => {
    const { precision, scale = 0 } = field
    const digits =
      precision === undefined ? [] : [`At most ${precision} digits, ${scale} after the point.`]
    return {
      sqlType: () => (precision === undefined ? 'numeric' : `numeric(${precision},${scale})`),
      width: (precision ?? 12) + 3,
      digits: { precision, scale: field.scale },
      check: (value) => checkDecimal(value, field),
      checkSearched: (value) => checkDecimal(value, {}),
      jsonSchema: { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$', format: 'decimal' },
      notes: [...digits, ...rangeNotes(field)],
      examples: () => ['1250.5', '12.5', '1.5', '0.5', '12', '1', ...ownValues(field), '0'],
    }
  },
)
