/** The field type decimal: exact numbers, sent as strings. */

import { Type } from '../schemas/schema-builder.ts'
import { type CheckResult, inRange, malformed, refused, shown } from '../values/check-value.ts'
import {
  asJsonString,
  asText,
  type Digits,
  fieldType,
  ownValues,
  rangeNotes,
} from './field-type.ts'
import { calculated, fieldOf, scalar, unit } from './schema-parts.ts'

const decimalText = (description: string) =>
  Type.Optional(Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$', description }))

/** Compares two decimal numbers written as text, exactly. */
export const compareDecimals = (a: string, b: string): number => {
  const scale = Math.max(fractionOf(a).length, fractionOf(b).length)
  const difference = scaled(a, scale) - scaled(b, scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
const fractionOf = (text: string) => text.split('.')[1] ?? ''
const scaled = (text: string, scale: number) =>
  BigInt(text.split('.')[0] + fractionOf(text).padEnd(scale, '0'))

type Rules = Digits & { readonly min?: string; readonly max?: string }

const checkDecimal = (value: unknown, field: Rules): CheckResult => {
  const text = textOf(value)
  if (text === undefined)
    return malformed(`must be a decimal number as a string, such as "12.50", not ${shown(value)}`)
  const [whole = '', fraction = ''] = text.replace(/^-/, '').split('.')
  if (whole.length + fraction.length > 1000) return refused('has more than 1000 digits')
  const wholeDigits = whole.replace(/^0+/, '').length
  if (field.precision !== undefined) {
    const scale = field.scale ?? 0
    if (withoutEndingZeros(fraction).length > scale)
      return refused(`has more than ${scale} digits after the point`)
    if (wholeDigits > field.precision - scale)
      return refused(`has more than ${field.precision - scale} digits before the point`)
  }
  const result = inRange(text, field, compareDecimals)
  return 'rule' in result ? result : { value: canonicalDecimal(text, field) }
}

const decimalPattern = /^-?\d+(\.\d+)?$/

/** A JSON number is accepted up to 15 digits, which it holds exactly. */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return decimalPattern.test(value) ? value : undefined
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  const text = String(value)
  return decimalPattern.test(text) && text.replace(/[-.]/g, '').length <= 15 ? text : undefined
}

// A pattern anchored at the end would search it from every zero.
const withoutEndingZeros = (digits: string): string => {
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  return digits.slice(0, end)
}

/** As PostgreSQL prints it: no leading zeros, padded to the scale of the field, no minus zero. */
const canonicalDecimal = (text: string, { precision, scale = 0 }: Digits): string => {
  const [whole = '', fraction = ''] = text.replace(/^-/, '').split('.')
  const digits = whole.replace(/^0+(?=\d)/, '')
  const kept = precision === undefined ? fraction : fraction.slice(0, scale).padEnd(scale, '0')
  const number = kept === '' ? digits : `${digits}.${kept}`
  return text.startsWith('-') && /[1-9]/.test(number) ? `-${number}` : number
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
