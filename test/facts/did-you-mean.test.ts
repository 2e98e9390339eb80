/** Suggestions for misspelled names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closestWord, didYouMean } from '../../src/did-you-mean.ts'

const table: readonly [name: string, candidates: string[], suggestion: string | undefined][] = [
  ['requierd', ['required', 'unique'], 'required'],
  ['requird', ['required'], 'required'],
  ['requireed', ['required'], 'required'],
  ['REQUIRED', ['required'], 'required'],
  ['nmae', ['name', 'mae'], 'name'],
  ['suplier', ['supplier', 'suppliers'], 'supplier'],
  ['suppliers', ['supplied', 'supplier'], 'supplier'],
  ['ab', ['cd'], undefined],
  ['name', ['name'], undefined],
  ['name', ['name', 'nane'], 'nane'],
  ['lane', ['line', 'lake'], 'line'],
  ['name', ['number'], undefined],
  ['name', [], undefined],
  ['', ['name'], undefined],
  ['constructor', ['name'], undefined],
  ['a', ['a'.repeat(10)], undefined],
  ['x'.repeat(10_000), ['name'], undefined],
]
test('the closest of the candidates is suggested, the first of equally close ones, and none that is far', () => {
  for (const [name, candidates, suggestion] of table)
    assert.equal(closestWord(name, candidates), suggestion, name.slice(0, 20))
})

test('didYouMean returns the end of a message or an empty text', () => {
  assert.equal(didYouMean('hihg', new Set(['low', 'high'])), '; did you mean "high"?')
  assert.equal(didYouMean('hihg', []), '')
})
