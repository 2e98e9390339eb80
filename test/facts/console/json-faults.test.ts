/** Where a text stops being JSON, and that this is said of no text that is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findFault } from '../../../console/features/values/json-fault.ts'

const faults: readonly [text: string, kind: string, at: number][] = [
  ['{"a": }', 'value', 6],
  ['[1, 2', 'comma', 4],
  ['{"a": 1 "b": 2}', 'comma', 6],
  ['{a: 1}', 'name', 1],
  ['{"a" 1}', 'colon', 4],
  ['{"a": 1,}', 'spare', 7],
  ['[1,\n]', 'spare', 2],
  ['{"a": "b}', 'text', 6],
  ['["a\nb"]', 'text', 1],
  ['"a\\x"', 'character', 2],
  ['[1,5, 01]', 'number', 6],
  ['1.', 'number', 0],
  ['+1', 'number', 0],
  ["{'a': 1}", 'name', 1],
  ['[yes]', 'word', 1],
  ['{} {}', 'end', 3],
]
test('a fault has its kind and its place', () => {
  for (const [text, kind, at] of faults) {
    assert.throws(() => JSON.parse(text))
    const fault = findFault(text)
    assert.deepEqual([fault?.kind, fault?.at], [kind, at], text)
  }
})

test('of texts with one character less or other, exactly those that are no JSON have a fault', () => {
  const text =
    '{"a\\u00e9\\n": [-0, 1.50e-30, true, null, "\u2028ž"], "b": {"c": []}, "d": 12345678901234567890}'
  const others = ['', ',', '"', '}', '[', '\\', '0', ' ', '\u0085', '\u007f', '\u0000']
  for (let at = 0; at <= text.length; at += 1)
    for (const other of others) {
      const changed = text.slice(0, at) + other + text.slice(at + 1)
      let isJson = true
      try {
        JSON.parse(changed)
      } catch {
        isJson = false
      }
      assert.equal(findFault(changed) === undefined, isJson, JSON.stringify(changed))
    }
})

test('a text that is nested too deeply to be looked at is only said to be no JSON', () => {
  assert.equal(findFault('['.repeat(200_000)), undefined)
})
