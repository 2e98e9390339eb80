/** Values of the number types: integer, bigint, decimal, and the id of a many-to-one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldTypeName } from '../../../src/definitions/field-types.ts'
import type { CheckResult, SqlValue } from '../../../src/definitions/values/check-value.ts'
import { checkAs, malformed, refused, type Settings } from './a-field.ts'

const valid = (value: SqlValue): CheckResult => ({ value })
const quoted = (text: string) => JSON.stringify(text)
const notInteger = (kind: string) => malformed(`must be a whole number, not ${kind}`)
const beyond32 = refused('must be between -2147483648 and 2147483647')
const beyond64 = refused('must be between -9223372036854775808 and 9223372036854775807')
const notBigint = (kind: string) =>
  malformed(
    `must be a whole number, or a string of digits beyond the safe range of JSON numbers, not ${kind}`,
  )
const notDecimal = (kind: string) =>
  malformed(`must be a decimal number as a string, such as "12.50", not ${kind}`)

type Rows<T extends FieldTypeName> = readonly (readonly [
  value: unknown,
  expected: CheckResult,
  settings?: Settings<T>,
])[]
const checkAll = <T extends FieldTypeName>(type: T, rows: Rows<T>) =>
  test(`values of the type ${type} are stored exactly, or refused with the reason`, () => {
    for (const [value, expected, settings] of rows)
      assert.deepEqual(checkAs(type, value, settings), expected, `${value}`.slice(0, 40))
  })

const integers: Rows<'integer'> = [
  [0, valid(0)],
  [2147483647, valid(2147483647)],
  [-2147483648, valid(-2147483648)],
  [2147483648, beyond32],
  [-2147483649, beyond32],
  [1e308, beyond32],
  [1.5, notInteger('a fraction')],
  [Number.NaN, notInteger('a fraction')],
  [Number.POSITIVE_INFINITY, notInteger('a fraction')],
  ['5', notInteger('a string')],
  [true, notInteger('a boolean')],
  [[5], notInteger('an array')],
  [null, notInteger('null')],
  [1, valid(1), { min: 1, max: 3 }],
  [3, valid(3), { min: 1, max: 3 }],
  [0, refused('must be at least 1'), { min: 1, max: 3 }],
  [4, refused('must be at most 3'), { min: 1, max: 3 }],
]
checkAll('integer', integers)

const bigints: Rows<'bigint'> = [
  [7, valid('7')],
  [-0, valid('0')],
  ['-0', valid('0')],
  ['007', valid('7')],
  [9007199254740991, valid('9007199254740991')],
  // A JSON number beyond the safe range may have lost digits.
  [9007199254740992, notBigint('a number')],
  ['9007199254740993', valid('9007199254740993')],
  ['9223372036854775807', valid('9223372036854775807')],
  ['-9223372036854775808', valid('-9223372036854775808')],
  ['9223372036854775808', beyond64],
  ['-9223372036854775809', beyond64],
  ['9'.repeat(30), beyond64],
  ['9'.repeat(31), notBigint(quoted('9'.repeat(31)))],
  ['', notBigint(quoted(''))],
  ['+1', notBigint(quoted('+1'))],
  ['1 ', notBigint(quoted('1 '))],
  ['0x10', notBigint(quoted('0x10'))],
  ['1e3', notBigint(quoted('1e3'))],
  ['٣', notBigint(quoted('٣'))],
  [1.5, notBigint('a fraction')],
  [null, notBigint('null')],
  [5, valid('5'), { min: 5, max: 5 }],
  ['5', valid('5'), { min: '5', max: 5 }],
  [4, refused('must be at least 5'), { min: '5' }],
  [-10, refused('must be at least -9'), { min: -9 }],
  [
    '9223372036854775807',
    refused('must be at most 9223372036854775806'),
    { max: '9223372036854775806' },
  ],
]
checkAll('bigint', bigints)

const money = { precision: 6, scale: 2 }
const decimals: Rows<'decimal'> = [
  ['12.5', valid('12.50'), money],
  ['12.500', valid('12.50'), money],
  ['0012', valid('12.00'), money],
  ['-0.00', valid('0.00'), money],
  ['-0.01', valid('-0.01'), money],
  ['9999.99', valid('9999.99'), money],
  [12.5, valid('12.50'), money],
  [0.1, valid('0.10'), money],
  ['10000', refused('has more than 4 digits before the point'), money],
  ['0.001', refused('has more than 2 digits after the point'), money],
  ['0.5', refused('has more than 0 digits after the point'), { precision: 3 }],
  ['999', valid('999'), { precision: 3 }],
  ['0.05', valid('0.05'), { precision: 2, scale: 2 }],
  ['1', refused('has more than 0 digits before the point'), { precision: 2, scale: 2 }],
  ['123456789012345678901234567890.123456789', valid('123456789012345678901234567890.123456789')],
  ['1.500', valid('1.500')],
  ['0'.repeat(999).concat('7'), valid('7')],
  ['9'.repeat(1001), refused('has more than 1000 digits')],
  // 0.1 + 0.2: the intended number cannot be known.
  [0.30000000000000004, notDecimal('a fraction')],
  [2 ** 63, notDecimal('a number')],
  [1e21, notDecimal('a number')],
  [1e-7, notDecimal('a fraction')],
  [Number.NaN, notDecimal('a fraction')],
  ['NaN', notDecimal(quoted('NaN'))],
  ['Infinity', notDecimal(quoted('Infinity'))],
  ['1e5', notDecimal(quoted('1e5'))],
  ['1,5', notDecimal(quoted('1,5'))],
  ['.5', notDecimal(quoted('.5'))],
  ['5.', notDecimal(quoted('5.'))],
  ['+5', notDecimal(quoted('+5'))],
  ['1_000', notDecimal(quoted('1_000'))],
  ['1\n', notDecimal(quoted('1\n'))],
  [' 1', notDecimal(quoted(' 1'))],
  ['0x10', notDecimal(quoted('0x10'))],
  ['', notDecimal(quoted(''))],
  [true, notDecimal('a boolean')],
  [null, notDecimal('null')],
  ['0.00', valid('0.00'), { ...money, min: '0' }],
  ['-0.01', refused('must be at least 0'), { ...money, min: '0' }],
  ['9.99', valid('9.99'), { ...money, max: '9.990' }],
  ['10', refused('must be at most 9.99'), { ...money, max: '9.99' }],
]
checkAll('decimal', decimals)

test('decimals are compared with their range exactly', () => {
  const ascending = [
    ...['-10', '-9.5', '-0.1', '-0.01', '0', '0.01', '0.1', '9', '10', '10.00000000000000000001'],
  ]
  for (const [left, value] of ascending.entries())
    for (const [right, min] of ascending.entries()) {
      const expected = left < right ? refused(`must be at least ${min}`) : valid(value)
      assert.deepEqual(checkAs('decimal', value, { min }), expected)
    }
})

const links: Rows<'manyToOne'> = [
  [1, valid(1)],
  [2147483647, valid(2147483647)],
  [0, refused('must be at least 1')],
  [-1, refused('must be at least 1')],
  [2147483648, beyond32],
  ['1', notInteger('a string')],
  [{ id: 1 }, notInteger('an object')],
]
checkAll('manyToOne', links)
