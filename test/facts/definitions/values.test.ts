/** Values of the types without text: numbers, links, days, times, boolean and json; SQL type and JSON schema of every type. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type FieldDefinition,
  type FieldTypeName,
  fieldTypeOf,
} from '../../../src/definitions/field-types.ts'
import type { CheckResult, SqlValue } from '../../../src/definitions/values/check-value.ts'
import { parseTimestamp } from '../../../src/definitions/values/timestamps.ts'
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

// Times without an offset are in the zone Europe/Zagreb.
const notDay = (shown: string) => malformed(`must be an existing day as YYYY-MM-DD, not ${shown}`)
const notTime = (shown: string) =>
  malformed(`must be an existing time as YYYY-MM-DD HH:MM:SS or ISO 8601 with offset, not ${shown}`)

test('a date is an existing day of the years 1 to 9999', () => {
  for (const day of ['2026-05-04', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])
    assert.deepEqual(checkAs('date', day), { value: day })
  for (const text of [
    ...['2026-02-30', '2025-02-29', '1900-02-29', '2026-04-31', '2026-13-01', '2026-00-10'],
    ...['2026-01-00', '0000-01-01', '10000-01-01', '+010000-01-01', '-000001-01-01', '2026-5-4'],
    ...['20260504', '04.05.2026', '2026-05-04T00:00:00Z', '2026-05-04\n', '２０２６-05-04'],
    ...['today', 'infinity', ''],
  ])
    assert.deepEqual(checkAs('date', text), notDay(JSON.stringify(text)))
})

const moments: readonly [text: string, moment: string][] = [
  ['2026-05-04 10:30:00', '2026-05-04T08:30:00.000Z'],
  ['2026-05-04T10:30:00', '2026-05-04T08:30:00.000Z'],
  ['2026-01-04 10:30:00.5', '2026-01-04T09:30:00.500Z'],
  ['2026-05-04T08:30:00Z', '2026-05-04T08:30:00.000Z'],
  ['2026-05-04t08:30:00z', '2026-05-04T08:30:00.000Z'],
  ['2026-05-04T08:30Z', '2026-05-04T08:30:00.000Z'],
  ['2026-05-04T08:30:00.123Z', '2026-05-04T08:30:00.123Z'],
  ['2026-05-04T10:30:00+02:00', '2026-05-04T08:30:00.000Z'],
  ['2026-05-04T10:30:00+0200', '2026-05-04T08:30:00.000Z'],
  ['2026-05-04T00:15:00+14:00', '2026-05-03T10:15:00.000Z'],
  ['2026-05-04T08:30:00-00:00', '2026-05-04T08:30:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  // The ends of the form are those of UTC, whatever the zone.
  ['9999-12-31T23:59:59-03:30', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
  ['0001-01-01T00:00:00+01:00', '0001-01-01T00:00:00.000Z'],
  ['0001-01-01 00:00:00', '0001-01-01T00:00:00.000Z'],
  // What programs print by themselves is finer than milliseconds, which are stored: the rest is cut.
  ['2026-05-04T08:30:00.123456+00:00', '2026-05-04T08:30:00.123Z'],
  ['2026-05-04T08:30:00.1239999Z', '2026-05-04T08:30:00.123Z'],
  ['2026-05-04T10:30:00.123456789+02:00', '2026-05-04T08:30:00.123Z'],
  ['2026-05-04 10:30:00.999999', '2026-05-04T08:30:00.999Z'],
  ['2026-05-04 08:30:00.123456+00', '2026-05-04T08:30:00.123Z'],
  ['2026-05-04T08:30:00.12345678901234567890Z', '2026-05-04T08:30:00.123Z'],
  // This hour occurs twice when summer time ends; the first one is used.
  ['2026-10-25 02:30:00', '2026-10-25T00:30:00.000Z'],
  ['2026-10-25 03:00:00', '2026-10-25T02:00:00.000Z'],
  ['2026-03-29 01:59:59', '2026-03-29T00:59:59.000Z'],
  ['2026-03-29 03:00:00', '2026-03-29T01:00:00.000Z'],
]
test('a time is read with its offset, or in the zone, and cut to milliseconds', () => {
  for (const [text, value] of moments) assert.deepEqual(checkAs('timestamp', text), { value }, text)
})

test('what is no existing time is refused', () => {
  for (const text of [
    ...['2026-02-30 10:00:00', '2026-02-30T10:00:00Z', '2025-02-29T00:00:00Z'],
    ...['2026-13-01 00:00:00', '04.05.2026 10:00:00', 'infinity', 'now', ''],
    // This hour does not exist: summer time begins at two.
    '2026-03-29 02:30:00',
    ...['2026-06-30T23:59:60Z', '2026-06-30 23:59:60', '2026-05-04 24:00:00'],
    ...['2026-05-04 10:60:00', '2026-05-04T10:30:00+24:00', '2026-05-04T10:30:00+02:60'],
    ...['0000-12-31 23:59:59', '0000-12-31T23:59:59-01:00', '10000-01-01T00:00:00Z'],
    ...['2026-05-04 10:30', '2026-05-04', '2026-05-04 10:30:00 CET', '2026-05-04 10:30:00\n'],
    '2026-05-04T10:30:00Z[Europe/Zagreb]',
  ])
    assert.deepEqual(checkAs('timestamp', text), notTime(JSON.stringify(text)))
  for (const [value, kind] of [
    [1777883400000, 'a number'],
    [null, 'null'],
    [{}, 'an object'],
  ] as const) {
    assert.deepEqual(checkAs('date', value), notDay(kind))
    assert.deepEqual(checkAs('timestamp', value), notTime(kind))
  }
})

test('a message shows an invalid value shortened to forty characters', () => {
  const long = 'x'.repeat(100)
  assert.deepEqual(checkAs('date', long), notDay(`"${'x'.repeat(39)}…"`))
})

test('a time without an offset is read in the given zone and must exist there', () => {
  const text = '2011-12-30 12:00:00'
  assert.equal(parseTimestamp(text, 'UTC'), '2011-12-30T12:00:00.000Z')
  assert.equal(parseTimestamp(text, '+02:00'), '2011-12-30T10:00:00.000Z')
  assert.equal(parseTimestamp(text, 'Asia/Kathmandu'), '2011-12-30T06:15:00.000Z')
  // Samoa crossed the date line, so this day did not exist there.
  assert.equal(parseTimestamp(text, 'Pacific/Apia'), undefined)
})

test('minimum and maximum of a date are inclusive', () => {
  const days = { min: '2026-01-01', max: '2026-12-31' }
  assert.deepEqual(checkAs('date', '2026-01-01', days), { value: '2026-01-01' })
  assert.deepEqual(checkAs('date', '2026-12-31', days), { value: '2026-12-31' })
  assert.deepEqual(checkAs('date', '2025-12-31', days), refused('must be at least 2026-01-01'))
  assert.deepEqual(checkAs('date', '2027-01-01', days), refused('must be at most 2026-12-31'))
})

test('minimum and maximum of a time are read in the same zone as the time', () => {
  const range = { min: '2026-05-04 10:00:00', max: '2026-05-04T09:00:00Z' }
  const at = (text: string) => checkAs('timestamp', text, range)
  assert.deepEqual(at('2026-05-04T08:00:00Z'), { value: '2026-05-04T08:00:00.000Z' })
  assert.deepEqual(at('2026-05-04 11:00:00'), { value: '2026-05-04T09:00:00.000Z' })
  assert.deepEqual(at('2026-05-04T07:59:59Z'), refused('must be at least 2026-05-04T08:00:00.000Z'))
  assert.deepEqual(at('2026-05-04 11:00:01'), refused('must be at most 2026-05-04T09:00:00.000Z'))
})

test('a boolean accepts true and false only', () => {
  assert.deepEqual(checkAs('boolean', true), { value: true })
  assert.deepEqual(checkAs('boolean', false), { value: false })
  for (const [value, kind] of [
    ['true', 'a string'],
    [1, 'a number'],
    [null, 'null'],
    [[], 'an array'],
  ])
    assert.deepEqual(checkAs('boolean', value), malformed(`must be true or false, not ${kind}`))
})

const jsonValues: readonly [value: unknown, text: SqlValue][] = [
  [null, 'null'],
  [1.5, '1.5'],
  ['a', '"a"'],
  [{ b: 1, a: [true, null, 'č'] }, '{"b":1,"a":[true,null,"č"]}'],
  [JSON.parse('{"__proto__":{"a":1},"constructor":2}'), '{"__proto__":{"a":1},"constructor":2}'],
]
test('json is stored as compact text', () => {
  for (const [value, text] of jsonValues) assert.deepEqual(checkAs('json', value), { value: text })
})

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

test('json accepts what PostgreSQL can store, up to 64 levels deep', () => {
  assert.ok('value' in checkAs('json', nested(64)))
  assert.deepEqual(checkAs('json', nested(65)), malformed('is nested deeper than 64 levels'))
  const nul = malformed('contains the control character NUL at position 0')
  assert.deepEqual(checkAs('json', { a: ['\0'] }), nul)
  assert.deepEqual(checkAs('json', { '\0': 1 }), nul)
  const half = malformed('contains half of a surrogate pair, which is not a character')
  assert.deepEqual(checkAs('json', ['\uD800']), half)
})

const waiting = `up_${'x'.repeat(32)}`
const wantedFile =
  'must be the id of an upload, such as "up_9fT2kQ7xV1…", or of a file that the record has or had in this field'
const shownFile = { id: 7, filename: 'a.png', mimetype: 'image/png', bytes: 1, width: 1, height: 1 }
const noFiles = ['a.png', '7', 0, 1.5, 2147483648, [7], true, { id: '7' }]
const otherwise = 'must be an array of files, or { "add": […], "remove": […], "order": […] }, not'

checkAll('file', [
  [waiting, valid(`["${waiting}"]`)],
  [7, valid('[7]')],
  [shownFile, valid('[7]')],
  ...[...noFiles, `${waiting}x`, { ...shownFile, path: '/etc' }].map(
    (value) => [value, malformed(wantedFile)] as const,
  ),
])

checkAll('files', [
  [[waiting, 7, shownFile], malformed('names 7 twice')],
  [[waiting, { ...shownFile, id: 8 }, 7], valid(`["${waiting}",8,7]`)],
  [[], valid(null)],
  [[7, 8, 9], refused('has 3 files; at most 2 are allowed'), { maxFiles: 2 }],
  [Array(100_000).fill('?'), refused('has 100000 files; at most 50 are allowed')],
  [[7, null], malformed(`${wantedFile.replace('must be', 'must have')} at [1]`)],
  [{ add: [waiting], order: [7] }, valid(`{"add":["${waiting}"],"remove":[],"order":[7]}`)],
  [{ remove: [shownFile] }, valid('{"add":[],"remove":[7],"order":[]}')],
  [{ remove: [waiting] }, malformed('remove must have the id of a file at [0]')],
  [{ add: 7 }, malformed('add must be an array, not a number')],
  [{ add: [7, 8, 9] }, malformed('add has 3 files; at most 2 are allowed'), { maxFiles: 2 }],
  [{ remove: [7, 8] }, valid('{"add":[],"remove":[7,8],"order":[]}'), { maxFiles: 1 }],
  [{ remove: Array(501).fill(7) }, malformed('remove has 501 files; at most 500 are allowed')],
  [{ add: [], order: [] }, malformed('says neither what to add, nor what to remove, nor an order')],
  [{ added: [7] }, malformed('has the property "added"; it may have add, remove, order')],
  [7, malformed(`${otherwise} a number`)],
  [waiting, malformed(`${otherwise} a string`)],
])

test('a one-to-many rejects values and has no column', () => {
  assert.deepEqual(checkAs('oneToMany', [1]), malformed('one-to-many fields cannot be written'))
  assert.throws(
    () => fieldTypeOf({ key: 'a', type: 'oneToMany', entity: 'b', mappedBy: 'c' }).sqlType(),
    /has no column/,
  )
})

const columns: readonly [field: FieldDefinition, sqlType: string][] = [
  [{ key: 'a', type: 'string', maxLength: 5 }, 'text'],
  [{ key: 'a', type: 'text' }, 'text'],
  [{ key: 'a', type: 'email' }, 'text'],
  [{ key: 'a', type: 'url' }, 'text'],
  [{ key: 'a', type: 'integer' }, 'integer'],
  [{ key: 'a', type: 'bigint' }, 'bigint'],
  [{ key: 'a', type: 'decimal' }, 'numeric'],
  [{ key: 'a', type: 'decimal', precision: 9 }, 'numeric(9,0)'],
  [{ key: 'a', type: 'decimal', precision: 9, scale: 2 }, 'numeric(9,2)'],
  [{ key: 'a', type: 'boolean' }, 'boolean'],
  [{ key: 'a', type: 'date' }, 'date'],
  [{ key: 'a', type: 'timestamp' }, 'timestamp(3) with time zone'],
  [{ key: 'a', type: 'enum', values: ['x'] }, 'text'],
  [{ key: 'a', type: 'json' }, 'json'],
  [{ key: 'a', type: 'file' }, 'jsonb'],
  [{ key: 'a', type: 'files' }, 'jsonb'],
  [{ key: 'a', type: 'manyToOne', entity: 'b' }, 'integer'],
]
test('every type with a column has its type of SQL', () => {
  for (const [field, sqlType] of columns) assert.equal(fieldTypeOf(field).sqlType(), sqlType)
})

const schemas: readonly [field: FieldDefinition, schema: object][] = [
  [
    { key: 'a', type: 'string', maxLength: 5, pattern: 'a|b' },
    { type: 'string', maxLength: 5, pattern: '^(?:a|b)$' },
  ],
  [{ key: 'a', type: 'text' }, { type: 'string' }],
  [
    { key: 'a', type: 'integer' },
    { type: 'integer', minimum: -2147483648, maximum: 2147483647 },
  ],
  [
    { key: 'a', type: 'integer', min: 0, max: 9 },
    { type: 'integer', minimum: 0, maximum: 9 },
  ],
  [
    { key: 'a', type: 'enum', values: ['x', 'y'] },
    { type: 'string', enum: ['x', 'y'] },
  ],
  [{ key: 'a', type: 'json' }, {}],
  [
    { key: 'a', type: 'manyToOne', entity: 'b' },
    { type: 'integer', minimum: 1, maximum: 2147483647 },
  ],
]
test('the JSON schema of a field has the rules that a schema can express', () => {
  for (const [field, schema] of schemas) assert.deepEqual(fieldTypeOf(field).jsonSchema, schema)
})
