/** Values of the text types: string, text, email, url and enum. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkAs, malformed, refused } from './a-field.ts'

const fox = '\u{1F98A}'

const invalidTexts: readonly [text: string, issue: string][] = [
  ['a\0b', 'contains the control character NUL at position 1'],
  ['\u0001', 'contains the control character U+0001 at position 0'],
  ['ab\u001B[2J', 'contains the control character U+001B at position 2'],
  ['\u007F', 'contains the control character U+007F at position 0'],
  ['a\uD800', 'contains half of a surrogate pair, which is not a character'],
  ['\uDC00a', 'contains half of a surrogate pair, which is not a character'],
  ['\uFFFE', 'holds U+FFFE at position 0'],
  ['a\uFFFF', 'holds U+FFFF at position 1'],
]

for (const type of ['string', 'text', 'email', 'url'] as const) {
  for (const [text, issue] of invalidTexts)
    test(`${type} rejects ${JSON.stringify(text)}`, () => {
      assert.deepEqual(checkAs(type, text), malformed(issue))
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
    test(`${type} rejects ${kind}`, () => {
      assert.deepEqual(checkAs(type, value), malformed(`must be a string, not ${kind}`))
    })
  test(`a required ${type} rejects an empty text`, () => {
    assert.deepEqual(
      checkAs(type, '', { required: true }),
      refused('is required and must not be empty'),
    )
  })
}

test('text in any script is stored unchanged within, with tabs and line ends', () => {
  for (const text of [
    '',
    "'; DROP TABLE x; --",
    'č\tš\r\nž',
    fox,
    // Marks that do not affect other characters; names in Hebrew or Arabic may contain them.
    '\u200E\u200F\u061C',
  ])
    for (const type of ['string', 'text'] as const)
      assert.deepEqual(checkAs(type, text), { value: text })
})

/** What is given, and what a line and a text of several lines keep of it. */
const forms: readonly (readonly [given: string, line: string, prose: string])[] = [
  ['e\u0301', '\u00E9', '\u00E9'],
  ['\u1112\u1161\u11AB', '\uD55C', '\uD55C'],
  // Compatible characters mean something else.
  ['\uFB01 \u00B2', '\uFB01 \u00B2', '\uFB01 \u00B2'],
  [' \t\u00A0a  b\u3000\r\n', 'a  b', ' \t\u00A0a  b\u3000\r\n'],
  [' \n ', '', ' \n '],
]
for (const [given, line, prose] of forms)
  test(`${JSON.stringify(given)} is kept composed, and in a line without blanks at its ends`, () => {
    assert.deepEqual(checkAs('string', given), { value: line })
    assert.deepEqual(checkAs('text', given), { value: prose })
  })

test('lengths and patterns are those of the kept text', () => {
  const kept = { value: '\u00E9' }
  for (const given of ['e\u0301', ' e\u0301\n'])
    assert.deepEqual(checkAs('string', given, { maxLength: 1, pattern: '.' }), kept)
  assert.deepEqual(
    checkAs('string', ' ', { required: true }),
    refused('is required and must not be empty'),
  )
})

test('text with more than 30 marks on a letter is rejected', () => {
  const issue = malformed('has more than 30 marks on the letter at position 1')
  for (const type of ['string', 'text', 'email', 'url'] as const)
    assert.deepEqual(checkAs(type, `xa${'\u0316'.repeat(31)}`), issue)
  assert.deepEqual(checkAs('text', '\u0316'.repeat(30)), { value: '\u0316'.repeat(30) })
})

test('text types reject control characters other than tab, line feed and carriage return', () => {
  for (const type of ['string', 'text', 'email', 'url'] as const)
    for (const code of ['\u0085', '\u009B', '\u007F', '\u001B'])
      assert.deepEqual(
        checkAs(type, `a${code}`),
        malformed(
          `contains the control character U+00${(code.codePointAt(0) ?? 0).toString(16).toUpperCase()} at position 1`,
        ),
      )
})

test('characters that change the text direction are accepted by the type text only', () => {
  for (const code of ['\u202A', '\u202E', '\u2066', '\u2069']) {
    assert.deepEqual(checkAs('text', `a${code}b`), { value: `a${code}b` })
    const name = `U+${(code.codePointAt(0) ?? 0).toString(16).toUpperCase()}`
    for (const type of ['string', 'email', 'url'] as const)
      assert.deepEqual(
        checkAs(type, `a${code}b`),
        malformed(`holds ${name}, which changes the text direction, at position 1`),
      )
  }
})

test('every text type has a maximum length, with or without maxLength', () => {
  const tooLong = (length: number, max: number) =>
    refused(`has ${length} characters, at most ${max} are allowed`)
  assert.deepEqual(checkAs('string', 'x'.repeat(255)), { value: 'x'.repeat(255) })
  assert.deepEqual(checkAs('string', 'x'.repeat(256)), tooLong(256, 255))
  assert.deepEqual(checkAs('text', fox.repeat(100_000)), { value: fox.repeat(100_000) })
  assert.deepEqual(checkAs('text', fox.repeat(100_001)), tooLong(100_001, 100_000))
  assert.deepEqual(checkAs('text', 'abc', { maxLength: 2 }), tooLong(3, 2))
  assert.deepEqual(checkAs('email', `a@${'b'.repeat(253)}`), tooLong(255, 254))
  const page = `https://example.com/${'x'.repeat(2_028)}`
  assert.deepEqual(checkAs('url', page), { value: page })
  assert.deepEqual(checkAs('url', `${page}x`), tooLong(2_049, 2_048))
})

test('json has a maximum size, with or without maxBytes', () => {
  const tooLarge = (bytes: number, max: number) =>
    refused(`takes ${bytes} bytes as compact JSON, at most ${max} are allowed`)
  assert.deepEqual(checkAs('json', 'x'.repeat(99_998)), { value: `"${'x'.repeat(99_998)}"` })
  assert.deepEqual(checkAs('json', 'ž'.repeat(50_000)), tooLarge(100_002, 100_000))
  assert.deepEqual(checkAs('json', [1, 2], { maxBytes: 4 }), tooLarge(5, 4))
})

test('maxLength counts characters, not UTF-16 units', () => {
  assert.deepEqual(checkAs('string', fox.repeat(3), { maxLength: 3 }), { value: fox.repeat(3) })
  assert.deepEqual(
    checkAs('string', fox.repeat(4), { maxLength: 3 }),
    refused('has 4 characters, at most 3 are allowed'),
  )
})

const addresses: readonly [text: string, isAddress: boolean][] = [
  ['anna@example.com', true],
  ['anna+orders@example.com', true],
  ["o'neil@example.com", true],
  ['žana@primjer.hr', true],
  [`${'a'.repeat(64)}@example.com`, true],
  [`${'a'.repeat(65)}@example.com`, false],
  [`a@${'b'.repeat(252)}`, true],
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
  test(`${JSON.stringify(text.slice(0, 30))} (${text.length}) is ${isAddress ? 'an' : 'not an'} address`, () => {
    const notAddress = refused('must be an e-mail address, such as anna@example.com')
    assert.deepEqual(checkAs('email', text), isAddress ? { value: text } : notAddress)
  })

test('an enum accepts its values only, and suggests a similar one', () => {
  const values = ['low', 'normal', 'high']
  const check = (value: unknown) => checkAs('enum', value, { values })
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

describe('a url', () => {
  for (const text of [
    ...['https://example.com', 'http://example.com:8080/a/b?c=d&e=%20#f', 'HTTPS://Example.com/'],
    ...['https://[::1]/', 'https://example.com/žaba?q=č', 'https://пример.рф/'],
    "https://example.com/'--;",
  ])
    test(`is stored unchanged: ${text}`, () => {
      assert.deepEqual(checkAs('url', text), { value: text })
    })

  const message =
    'must be an absolute URL that begins with https: or http:, such as https://www.example.com/page'
  for (const text of [
    ...['', 'example.com', '/page', '//example.com/', 'https:', 'https://', 'https:///page'],
    ...['https:example.com', 'https:\\\\example.com', 'https://exa mple.com/'],
    ...['https://example.com/a b', ' https://example.com/', 'https://example.com:99999/'],
    ...['https://[::1', 'javascript:alert(1)', 'data:text/html,<script>', 'file:///etc/passwd'],
    'mailto:anna@example.com',
  ])
    test(`is not ${JSON.stringify(text)}`, () => {
      assert.deepEqual(checkAs('url', text), refused(message))
    })

  test('must have a scheme that its field allows', () => {
    const schemes = { schemes: ['mailto', 'sftp'] }
    for (const text of ['mailto:anna@example.com', 'sftp://files.example.com/in'])
      assert.deepEqual(checkAs('url', text, schemes), { value: text })
    assert.deepEqual(
      checkAs('url', 'https://example.com/', schemes),
      refused('must be an absolute URL that begins with mailto: or sftp:, such as mailto:example'),
    )
  })
})
