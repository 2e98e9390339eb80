/** Values of the number types: integer, bigint, decimal, and the id of a many-to-one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldOf } from '../../src/definitions/field-types.ts'
import type { CheckResult, SqlValue } from '../../src/definitions/values/check-value.ts'
import { checkedAs, malformed, refused } from './a-field.ts'

const is = (value: SqlValue): CheckResult => ({ value })
const quoted = (text: string) => JSON.stringify(text)
const noInteger = (kind: string) => malformed(`must be a whole number, not ${kind}`)
const beyond32 = refused('must be between -2147483648 and 2147483647')
const beyond64 = refused('must be between -9223372036854775808 and 9223372036854775807')
const noBigint = (kind: string) =>
  malformed(
    `must be a whole number, or a string of digits beyond the safe range of JSON numbers, not ${kind}`,
  )
const noDecimal = (kind: string) =>
  malformed(`must be a decimal number as a string, such as "12.50", not ${kind}`)

const shown = (value: unknown) => {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'nothing')
  return text.length > 40 ? `${text.slice(0, 20)}… (${text.length})` : text
}

const integers: readonly [
  value: unknown,
  verdict: CheckResult,
  settings?: Partial<FieldOf<'integer'>>,
][] = [
  [0, is(0)],
  [2147483647, is(2147483647)],
  [-2147483648, is(-2147483648)],
  [2147483648, beyond32],
  [-2147483649, beyond32],
  [1e308, beyond32],
  [1.5, noInteger('a fraction')],
  [Number.NaN, noInteger('a fraction')],
  [Number.POSITIVE_INFINITY, noInteger('a fraction')],
  ['5', noInteger('a string')],
  [true, noInteger('a boolean')],
  [[5], noInteger('an array')],
  [null, noInteger('null')],
  [1, is(1), { min: 1, max: 3 }],
  [3, is(3), { min: 1, max: 3 }],
  [0, refused('must be at least 1'), { min: 1, max: 3 }],
  [4, refused('must be at most 3'), { min: 1, max: 3 }],
]
for (const [value, verdict, settings] of integers)
  test(`integer ${shown(value)} ${JSON.stringify(settings ?? {})}`, () => {
    assert.deepEqual(checkedAs('integer', value, settings), verdict)
  })

const bigints: readonly [
  value: unknown,
  verdict: CheckResult,
  settings?: Partial<FieldOf<'bigint'>>,
][] = [
  [7, is('7')],
  [-0, is('0')],
  ['-0', is('0')],
  ['007', is('7')],
  [9007199254740991, is('9007199254740991')],
  // A JSON number beyond the safe range has lost its digits already.
  [9007199254740992, noBigint('a number')],
  ['9007199254740993', is('9007199254740993')],
  ['9223372036854775807', is('9223372036854775807')],
  ['-9223372036854775808', is('-9223372036854775808')],
  ['9223372036854775808', beyond64],
  ['-9223372036854775809', beyond64],
  ['9'.repeat(30), beyond64],
  ['9'.repeat(31), noBigint(quoted('9'.repeat(31)))],
  ['', noBigint(quoted(''))],
  ['+1', noBigint(quoted('+1'))],
  ['1 ', noBigint(quoted('1 '))],
  ['0x10', noBigint(quoted('0x10'))],
  ['1e3', noBigint(quoted('1e3'))],
  ['٣', noBigint(quoted('٣'))],
  [1.5, noBigint('a fraction')],
  [null, noBigint('null')],
  [5, is('5'), { min: 5, max: 5 }],
  ['5', is('5'), { min: '5', max: 5 }],
  [4, refused('must be at least 5'), { min: '5' }],
  [-10, refused('must be at least -9'), { min: -9 }],
  [
    '9223372036854775807',
    refused('must be at most 9223372036854775806'),
    { max: '9223372036854775806' },
  ],
]
for (const [value, verdict, settings] of bigints)
  test(`bigint ${shown(value)} ${JSON.stringify(settings ?? {})}`, () => {
    assert.deepEqual(checkedAs('bigint', value, settings), verdict)
  })

const money = { precision: 6, scale: 2 }
const decimals: readonly [
  value: unknown,
  verdict: CheckResult,
  settings?: Partial<FieldOf<'decimal'>>,
][] = [
  ['12.5', is('12.50'), money],
  ['12.500', is('12.50'), money],
  ['0012', is('12.00'), money],
  ['-0.00', is('0.00'), money],
  ['-0.01', is('-0.01'), money],
  ['9999.99', is('9999.99'), money],
  [12.5, is('12.50'), money],
  [0.1, is('0.10'), money],
  ['10000', refused('has more than 4 digits before the point'), money],
  ['0.001', refused('has more than 2 digits after the point'), money],
  ['0.5', refused('has more than 0 digits after the point'), { precision: 3 }],
  ['999', is('999'), { precision: 3 }],
  ['0.05', is('0.05'), { precision: 2, scale: 2 }],
  ['1', refused('has more than 0 digits before the point'), { precision: 2, scale: 2 }],
  ['123456789012345678901234567890.123456789', is('123456789012345678901234567890.123456789')],
  ['1.500', is('1.500')],
  ['0'.repeat(999).concat('7'), is('7')],
  ['9'.repeat(1001), refused('has more than 1000 digits')],
  // 0.1 + 0.2: the number that was meant cannot be known any more.
  [0.30000000000000004, noDecimal('a fraction')],
  [2 ** 63, noDecimal('a number')],
  [1e21, noDecimal('a number')],
  [1e-7, noDecimal('a fraction')],
  [Number.NaN, noDecimal('a fraction')],
  ['NaN', noDecimal(quoted('NaN'))],
  ['Infinity', noDecimal(quoted('Infinity'))],
  ['1e5', noDecimal(quoted('1e5'))],
  ['1,5', noDecimal(quoted('1,5'))],
  ['.5', noDecimal(quoted('.5'))],
  ['5.', noDecimal(quoted('5.'))],
  ['+5', noDecimal(quoted('+5'))],
  ['1_000', noDecimal(quoted('1_000'))],
  ['1\n', noDecimal(quoted('1\n'))],
  ['', noDecimal(quoted(''))],
  [true, noDecimal('a boolean')],
  [null, noDecimal('null')],
  ['0.00', is('0.00'), { ...money, min: '0' }],
  ['-0.01', refused('must be at least 0'), { ...money, min: '0' }],
  ['9.99', is('9.99'), { ...money, max: '9.990' }],
  ['10', refused('must be at most 9.99'), { ...money, max: '9.99' }],
]
for (const [value, verdict, settings] of decimals)
  test(`decimal ${shown(value)} ${JSON.stringify(settings ?? {})}`, () => {
    assert.deepEqual(checkedAs('decimal', value, settings), verdict)
  })

test('decimals are compared exactly, digit by digit', () => {
  const rising = [
    '-10',
    '-9.5',
    '-0.1',
    '-0.01',
    '0',
    '0.01',
    '0.1',
    '9',
    '10',
    '10.00000000000000000001',
  ]
  for (const [left, value] of rising.entries())
    for (const [right, min] of rising.entries()) {
      const expected = left < right ? refused(`must be at least ${min}`) : is(value)
      assert.deepEqual(checkedAs('decimal', value, { min }), expected)
    }
})

const links: readonly [value: unknown, verdict: CheckResult][] = [
  [1, is(1)],
  [2147483647, is(2147483647)],
  [0, refused('must be at least 1')],
  [-1, refused('must be at least 1')],
  [2147483648, beyond32],
  ['1', noInteger('a string')],
  [{ id: 1 }, noInteger('an object')],
]
for (const [value, verdict] of links)
  test(`many-to-one ${shown(value)}`, () => {
    assert.deepEqual(checkedAs('manyToOne', value), verdict)
  })
