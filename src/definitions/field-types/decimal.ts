/** The field type decimal: exact numbers, sent as strings. */

import { Type } from '../schemas/schema-builder.ts'
import { shown } from '../values/check-value.ts'
import { checkDecimal } from '../values/rules/numbers.ts'
import {
  asJsonString,
  asText,
  fieldType,
  ownValues,
  type ReadText,
  rangeNotes,
} from './field-type.ts'
import { calculated, fieldOf, scalar, unit } from './schema-parts.ts'

const decimalText = (description: string) =>
  Type.Optional(Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$', description }))

const readDecimal = (text: string): ReadText =>
  /^-?\d+(\.\d+)?$/.test(text)
    ? { value: text }
    : {
        message: `must be a number with a point before its decimals and no other marks, such as 1250.50, not ${shown(text)}`,
      }

/** An exact decimal number. */
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
