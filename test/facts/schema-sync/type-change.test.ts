/** Which changes of a column type keep every value. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLossless } from '../../../src/schema-sync/diff/type-change.ts'

const table: readonly [from: string, to: string, keeps: boolean][] = [
  ['integer', 'bigint', true],
  ['bigint', 'integer', false],
  ['integer', 'numeric', true],
  ['integer', 'numeric(10,0)', true],
  ['integer', 'numeric(9,0)', false],
  ['integer', 'numeric(11,2)', false],
  ['integer', 'numeric(12,2)', true],
  ['bigint', 'numeric(19,0)', true],
  ['bigint', 'numeric(18,0)', false],
  ['numeric(10,2)', 'numeric(12,2)', true],
  ['numeric(10,2)', 'numeric(12,4)', true],
  ['numeric(10,2)', 'numeric(10,4)', false],
  ['numeric(10,2)', 'numeric(12,1)', false],
  ['numeric(10,2)', 'numeric(9,2)', false],
  ['numeric(10,2)', 'numeric', true],
  ['numeric', 'numeric(38,10)', false],
  ['numeric(5,0)', 'integer', false],
  ['numeric(10,2)', 'bigint', false],
  ['integer', 'text', true],
  ['numeric(10,2)', 'text', true],
  ['boolean', 'text', true],
  ['date', 'text', true],
  ['timestamp(3) with time zone', 'text', true],
  ['json', 'text', true],
  ['character(8)', 'text', false],
  ['text', 'integer', false],
  ['text', 'json', false],
  ['date', 'timestamp(3) with time zone', false],
  ['timestamp(3) with time zone', 'date', false],
  ['boolean', 'integer', false],
  ['text', 'text', true],
]

for (const [from, to, keeps] of table)
  test(`${from} to ${to} ${keeps ? 'loses nothing' : 'could lose something'}`, () => {
    assert.equal(isLossless(from, to), keeps)
  })
