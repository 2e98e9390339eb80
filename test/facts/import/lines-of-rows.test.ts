/** Which rows of a file are further lines of the record above them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLineFinder } from '../../../src/import/read/lines-of-rows.ts'
import type { Cell } from '../../../src/import/read/sheet.ts'

const cell = (text: string): Cell => ({ kind: text === '' ? 'empty' : 'text', text })

/** Of rows with number, day, place and name of a line, separated by blanks; a dot is an empty cell. */
const kindsOf = (rows: readonly string[], keys = [[0]]) => {
  const kindOf = createLineFinder({ own: [0, 1], ofLines: [2, 3], keys })
  return rows.map((row, at) => {
    const cells = row.split(' ').map((text) => cell(text === '.' ? '' : text))
    const { recordRow, fault } = kindOf({ row: at + 2, line: at + 2, cells })
    return fault === undefined ? recordRow : 'fault'
  })
}

const files = [
  ['the same cells that identify the record', ['A 1 1 x', 'A 1 2 y', 'B 1 1 x'], [null, 2, null]],
  ['no cell of the record', ['A 1 . .', '. . 1 x', '. . 2 y'], [null, 2, 2]],
  ['both', ['A 1 1 x', '. . 2 y', 'A 1 3 z'], [null, 2, 2]],
  ['the same without a line', ['A 1 1 x', 'A 1 . .'], [null, null]],
  ['another cell', ['A 1 1 x', 'A 2 2 y', 'A 1 3 z'], [null, null, null]],
  ['cells apart', ['A 1 1 x', 'B 1 1 x', 'A 1 2 y'], [null, null, null]],
  [
    'the same cells, of which none identifies it',
    ['. 1 1 x', '. 1 2 y', '. . 3 z'],
    [null, 'fault', 3],
  ],
  ['a line above all records', ['. . 1 x', '. . 2 y', 'A 1 1 x'], [null, 2, null]],
  ['a part of a line', ['A 1 1 x', '. . . y'], [null, 2]],
] as const

for (const [name, rows, expected] of files)
  test(name, () => {
    assert.deepEqual(kindsOf(rows), expected)
  })

test('fields that only together are unique identify a record together', () => {
  assert.deepEqual(kindsOf(['A 1 1 x', 'A 1 2 y', 'A . 1 x', 'A . 2 y'], [[0, 1]]), [
    null,
    2,
    null,
    'fault',
  ])
})

test('rows with more lines than are written with a record are faults', () => {
  const further = Array.from({ length: 1000 }, (_, at) => `. . ${at + 1} x`)
  const kinds = kindsOf(['A 1 0 x', ...further, 'B 1 . .', ...further, 'C 1 1 x'])
  assert.deepEqual(kinds.slice(998, 1003), [2, 2, 'fault', null, 1003])
  assert.deepEqual(kinds.slice(-2), [1003, null])
})
