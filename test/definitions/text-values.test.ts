/** Values of the text types: string, text, email and enum. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkedAs, malformed, refused } from './a-field.ts'

const fox = '\u{1F98A}'

const hostile: readonly [text: string, fault: string][] = [
  ['a\0b', 'holds the control character NUL at position 1'],
  ['\u0001', 'holds the control character U+0001 at position 0'],
  ['ab\u001B[2J', 'holds the control character U+001B at position 2'],
  ['\u007F', 'holds the control character U+007F at position 0'],
  ['a\uD800', 'holds half of a surrogate pair, which is no character'],
  ['\uDC00a', 'holds half of a surrogate pair, which is no character'],
  ['\uFFFE', 'holds U+FFFE at position 0'],
  ['a\uFFFF', 'holds U+FFFF at position 1'],
]

for (const type of ['string', 'text', 'email'] as const) {
  for (const [text, fault] of hostile)
    test(`a ${type} takes no ${JSON.stringify(text)}`, () => {
      assert.deepEqual(checkedAs(type, text), malformed(fault))
    })
  for (const [value, kind] of [
    [5, 'a number'],
    [1.5, 'a fraction'],
    [true, 'a boolean'],
    [['a'], 'an array'],
    [{}, 'an object'],
    [null, 'null'],
    [undefined, 'nothing'],
  ])
    test(`a ${type} takes no ${kind}`, () => {
      assert.deepEqual(checkedAs(type, value), malformed(`must be a string, not ${kind}`))
    })
  test(`a required ${type} must not be empty`, () => {
    assert.deepEqual(
      checkedAs(type, '', { required: true }),
      refused('is required and must not be empty'),
    )
  })
}

test('text is kept as it was sent, whatever the script, with tabs and line ends', () => {
  for (const text of [
    '',
    ' a ',
    "'; DROP TABLE x; --",
    'č\tš\r\nž',
    fox,
    'e\u0301',
    '\u202E',
    '\u0085',
  ])
    for (const type of ['string', 'text'] as const)
      assert.deepEqual(checkedAs(type, text), { value: text })
})

test('maxLength counts characters, not UTF-16 units', () => {
  assert.deepEqual(checkedAs('string', fox.repeat(3), { maxLength: 3 }), { value: fox.repeat(3) })
  assert.deepEqual(
    checkedAs('string', fox.repeat(4), { maxLength: 3 }),
    refused('has 4 characters, at most 3 are allowed'),
  )
})

const patterns: readonly [pattern: string, text: string, matches: boolean][] = [
  ['[A-Z]{2}-[0-9]+', 'PO-1', true],
  ['[A-Z]{2}-[0-9]+', 'PO-1\n', false],
  ['[A-Z]{2}-[0-9]+', 'xPO-1', false],
  ['a|b', 'ab', false],
  ['^PO$', 'PO', true],
  ['.', fox, true],
]
for (const [pattern, text, matches] of patterns)
  test(`${JSON.stringify(text)} ${matches ? 'matches' : 'breaks'} the pattern ${pattern}`, () => {
    const expected = matches ? { value: text } : refused(`must match the pattern ${pattern}`)
    assert.deepEqual(checkedAs('string', text, { pattern }), expected)
  })

const addresses: readonly [text: string, isAddress: boolean][] = [
  ['anna@example.com', true],
  ['anna+orders@example.com', true],
  ["o'neil@example.com", true],
  ['žana@primjer.hr', true],
  [`${'a'.repeat(64)}@example.com`, true],
  [`${'a'.repeat(65)}@example.com`, false],
  [`a@${'b'.repeat(252)}`, true],
  [`a@${'b'.repeat(253)}`, false],
  ['', false],
  ['anna', false],
  ['anna@', false],
  ['@example.com', false],
  ['a@b@c', false],
  ['a b@example.com', false],
  ['a@example.com\r\nBcc: all@example.com', false],
  ['Anna <anna@example.com>', false],
]
for (const [text, isAddress] of addresses)
  test(`${JSON.stringify(text.slice(0, 30))} (${text.length}) is ${isAddress ? 'an' : 'no'} address`, () => {
    const no = refused('must be an e-mail address, such as anna@example.com')
    assert.deepEqual(checkedAs('email', text), isAddress ? { value: text } : no)
  })

test('an enum takes its words only, and suggests the one that was meant', () => {
  const values = ['low', 'normal', 'high']
  const check = (value: unknown) => checkedAs('enum', value, { values })
  const list = 'must be one of "low", "normal", "high"'
  assert.deepEqual(check('high'), { value: 'high' })
  assert.deepEqual(check('hihg'), refused(`${list}; did you mean "high"?`))
  assert.deepEqual(check('High'), refused(`${list}; did you mean "high"?`))
  assert.deepEqual(check('extreme'), refused(list))
  assert.deepEqual(check(''), refused(list))
  assert.deepEqual(check('constructor'), refused(list))
  assert.deepEqual(check(0), malformed('must be a string, not a number'))
  assert.deepEqual(check(null), malformed('must be a string, not null'))
})
