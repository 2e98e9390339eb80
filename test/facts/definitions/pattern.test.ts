/** Patterns of string fields: they match whole texts, by the rules of JavaScript. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesPattern, patternIssue } from '../../../src/definitions/values/pattern.ts'
import { checkAs, refused } from './a-field.ts'

const fox = '\u{1F98A}'

const patterns: readonly [pattern: string, text: string, matches: boolean][] = [
  ['[A-Z]{2}-[0-9]+', 'PO-1', true],
  ['[A-Z]{2}-[0-9]+', 'PO-1\nx', false],
  ['[A-Z]{2}-[0-9]+', 'xPO-1', false],
  ['a|b', 'ab', false],
  ['^PO$', 'PO', true],
  ['.', fox, true],
]
for (const [pattern, text, matches] of patterns)
  test(`${JSON.stringify(text)} ${matches ? 'matches' : 'violates'} the pattern ${pattern}`, () => {
    const expected = matches ? { value: text } : refused(`must match the pattern ${pattern}`)
    assert.deepEqual(checkAs('string', text, { pattern }), expected)
  })

// Clients evaluate patterns by the rules of JavaScript.
for (const pattern of [
  ...['.', '[.]', '(?s:.)', '(?s:(?-s:.))', '\\s', '\\S', '[^\\s]', '[\\S]', '\\p{Script=Greek}'],
  ...['[^\\p{scx=Greek}]', '\\p{Letter}|\\P{gc=L}+', '\\uD83D\\uDE00', '[\\u{1F600}\\u0061]'],
  ...['[\\b]', '[[:alpha:]', '(?<n>a)|[^]b', '^[\\w\\-\\]]?$'],
]) {
  test(`the pattern ${pattern} means the same as in JavaScript`, () => {
    const texts = [
      ...['', 'a', 'b', 'l', ':', '[', ']', '-', '1', 'Ω', 'ž', '\u0301', '\u{1F600}', '.', ' '],
      '_b',
    ]
    const ends = [
      ...['\n', '\r', '\u2028', '\u2029', '\t', '\v', '\f', '\b', '\u00a0', '\ufeff', '\u0085'],
    ]
    const expected = new RegExp(`^(?:${pattern})$`, 'u')
    assert.equal(patternIssue(pattern), undefined)
    for (const text of [...texts, ...ends, 'a\n', '\nb'])
      assert.equal(matchesPattern(pattern, text), expected.test(text), JSON.stringify(text))
  })
}
