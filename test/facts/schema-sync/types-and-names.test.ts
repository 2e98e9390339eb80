/** Which changes of a type lose nothing, and the names of indexes and links. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOf } from '../../../src/schema-sync/diff/schema.ts'
import { isLossless, lossyValuesSql } from '../../../src/schema-sync/diff/type-change.ts'

/** By a type: those that every value of it fits into, and others. */
const conversions: Readonly<Record<string, readonly [keeps: string[], loses: string[]]>> = {
  integer: [
    ['bigint', 'numeric', 'numeric(10,0)', 'numeric(12,2)', 'text'],
    ['numeric(9,0)', 'numeric(11,2)'],
  ],
  bigint: [['numeric(19,0)'], ['integer', 'numeric(18,0)']],
  'numeric(10,2)': [
    ['numeric(12,2)', 'numeric(12,4)', 'numeric', 'text'],
    ['numeric(10,4)', 'numeric(12,1)', 'numeric(9,2)', 'bigint'],
  ],
  'numeric(5,0)': [[], ['integer']],
  numeric: [[], ['numeric(38,10)']],
  boolean: [['text'], ['integer']],
  date: [['text'], ['timestamp(3) with time zone']],
  'timestamp(3) with time zone': [['text'], ['date']],
  json: [['text'], []],
  text: [['text'], ['integer', 'json', 'jsonb']],
  jsonb: [[], ['text', 'json']],
  'character(8)': [[], ['text']],
}
for (const [from, [keeps, loses]] of Object.entries(conversions))
  test(`a change of ${from} loses nothing where every value fits`, () => {
    for (const to of keeps) assert.equal(isLossless(from, to), true, to)
    for (const to of loses) assert.equal(isLossless(from, to), false, to)
  })

test('no value of another type is one of files', () => {
  for (const from of ['text', 'json', 'integer'])
    assert.deepEqual(lossyValuesSql({ from, to: 'jsonb', cell: 'c', timeZone: 'UTC' }, true), {
      cut: 'false',
      refused: 'true',
    })
})

test('a name consists of table, columns and kind; a long one is shortened to 63 bytes and stays unique', () => {
  const key = { table: 'order', columns: ['supplier_id', '_created_at'] }
  for (const [kind, suffix] of [
    ['unique', 'key'],
    ['order', 'idx'],
    ['foreignKey', 'fkey'],
  ] as const)
    assert.equal(nameOf({ ...key, kind }), `order.supplier_id._created_at.${suffix}`)
  const long = (column: string) =>
    nameOf({ table: 'a'.repeat(63), columns: [column], kind: 'order' })
  assert.equal(Buffer.byteLength(long('first')), 63)
  assert.match(long('first'), /\.idx$/)
  assert.notEqual(long('first'), long('second'))
  assert.equal(long('first'), long('first'))
})
