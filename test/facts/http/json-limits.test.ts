/** Limits of JSON bodies, which apply before parsing: depth, sizes, and the number of reported issues. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLosslessJson } from '../../../src/http/json/lossless-json.ts'
import { rejectionOf } from './json-rejection.ts'

const nested = (levels: number, inner = '') => '['.repeat(levels) + inner + ']'.repeat(levels)

const tooMuch = (text: string) => rejectionOf(text).errors

test('a hundred levels are accepted, one more is rejected, and so are very many', () => {
  assert.ok(parseLosslessJson(nested(100)))
  for (const text of [nested(101), nested(200_000), nested(200_000, '1e400'), '['.repeat(1e6)])
    assert.deepEqual(tooMuch(text), [{ path: '', message: 'is nested deeper than 100 levels' }])
})

test('200,000 arrays and objects are accepted, one more is rejected', () => {
  const list = (count: number) => `[${'{},'.repeat(count - 2)}[]]`
  assert.equal((parseLosslessJson(list(200_000)) as unknown[]).length, 199_999)
  assert.deepEqual(tooMuch(list(200_001)), [
    { path: '', message: 'has more than 200000 arrays and objects' },
  ])
})

test('10,000 names of an object are accepted, one more is rejected', () => {
  const named = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])))
  assert.equal(Object.keys(parseLosslessJson(named(10_000)) as object).length, 10_000)
  assert.deepEqual(tooMuch(named(10_001)), [
    { path: '', message: 'has an object of more than 10000 names' },
  ])
})

test('a number of more than a thousand characters is rejected without reading its digits', () => {
  assert.equal(parseLosslessJson(`1${'0'.repeat(300)}`), 1e300)
  for (const zeros of [1000, 300_000, 4_000_000])
    assert.deepEqual(tooMuch(`{"a":1.${'0'.repeat(zeros)}1}`), [
      { path: 'a', message: `a number of ${zeros + 3} characters is longer than 1000` },
    ])
})

test('the first hundred issues are reported', () => {
  const numbers = `[${'12345678901234567,'.repeat(1000)}1]`
  for (const text of [numbers, `[${'{"a":1,"a":2},'.repeat(1000)}1]`]) {
    const { errors } = rejectionOf(text)
    assert.equal(errors.length, 101)
    assert.match(errors.at(-1)?.message ?? '', /more issues than these/)
  }
})
