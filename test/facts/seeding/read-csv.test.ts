/** Reading CSV seeds: null and empty text, and exact places of fields. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCsv } from '../../../src/seeding/files/read-csv-seed.ts'

const read = (text: string) => {
  const csv = readCsv(Buffer.from(text))
  assert.ok('rows' in csv)
  return csv
}

const tables: [name: string, text: string, rows: (string | null)[][]][] = [
  [
    'an empty field is null',
    'a,b\n1,\n',
    [
      ['a', 'b'],
      ['1', null],
    ],
  ],
  [
    'an empty field in quotes is an empty text',
    'a,b\n1,""\n',
    [
      ['a', 'b'],
      ['1', ''],
    ],
  ],
  [
    'a field in quotes may contain commas, quotes and line breaks',
    'a\n"x, ""y""\nz"\n',
    [['a'], ['x, "y"\nz']],
  ],
  ['any line endings are accepted, also mixed', 'a\r\n1\n2\r3', [['a'], ['1'], ['2'], ['3']]],
  [
    'empty lines are skipped',
    'a,b\n\n1,2\n\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['an empty file has no rows', '', []],
]
for (const [name, text, rows] of tables)
  test(name, () => {
    assert.deepEqual(read(text).rows, rows)
  })

test('the place of a field is that of its first character, also after line breaks inside quotes', () => {
  const csv = read('a,b\r\n"x\r\ny",é\r\n\r\nž,"z"\r\n,')
  const places = [
    [0, 0, { line: 1, column: 1 }],
    [0, 1, { line: 1, column: 3 }],
    [1, 0, { line: 2, column: 1 }],
    [1, 1, { line: 3, column: 4 }],
    [2, 0, { line: 5, column: 1 }],
    [2, 1, { line: 5, column: 3 }],
    [3, 0, { line: 6, column: 1 }],
    [3, 1, { line: 6, column: 2 }],
  ] as const
  for (const [row, field, place] of places) assert.deepEqual(csv.place(row, field), place)
})

test('an unclosed quote is reported where it opens', () => {
  assert.deepEqual(readCsv(Buffer.from('a,b\n1,2\n3,"x\n4,5\n')), {
    line: 3,
    column: 3,
    message: 'is not valid CSV: this quote is never closed',
  })
})

for (const field of ['x"y', '"x"y'])
  test(`${field} is rejected with the place of its field`, () => {
    assert.deepEqual(readCsv(Buffer.from(`a,b\n1,${field}\n`)), {
      line: 2,
      column: 3,
      message: 'is not valid CSV: quote the whole field and double each quote in it',
    })
  })
