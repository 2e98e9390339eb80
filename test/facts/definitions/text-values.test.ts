/** Values of the text types: string with its patterns, text, email, url and enum; and of json. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesPattern, patternIssue } from '../../../src/definitions/values/pattern.ts'
import { checkAs, malformed, refused } from './a-field.ts'

const fox = '\u{1F98A}'

const textTypes = ['string', 'text', 'email', 'url'] as const

const invalidTexts: readonly [text: string, issue: string][] = [
  ['a\0b', 'contains the control character NUL at position 1'],
  ['\u0001', 'contains the control character U+0001 at position 0'],
  ['ab\u001B[2J', 'contains the control character U+001B at position 2'],
  ['\u007F', 'contains the control character U+007F at position 0'],
  ['a\u0085', 'contains the control character U+0085 at position 1'],
  ['\u009B', 'contains the control character U+009B at position 0'],
  ['a\uD800', 'contains half of a surrogate pair, which is not a character'],
  ['\uDC00a', 'contains half of a surrogate pair, which is not a character'],
  ['\uFFFE', 'holds U+FFFE at position 0'],
  ['a\uFFFF', 'holds U+FFFF at position 1'],
  [`xa${'\u0316'.repeat(31)}`, 'has more than 30 marks on the letter at position 1'],
]
const invalidKinds: readonly [value: unknown, kind: string][] = [
  [5, 'a number'],
  [1.5, 'a fraction'],
  [true, 'a boolean'],
  [['a'], 'an array'],
  [{}, 'an object'],
  [null, 'null'],
  [undefined, 'nothing'],
]
for (const type of textTypes)
  test(`${type} rejects what is no text that can be stored, and if required an empty one`, () => {
    for (const [text, issue] of invalidTexts)
      assert.deepEqual(checkAs(type, text), malformed(issue))
    for (const [value, kind] of invalidKinds)
      assert.deepEqual(checkAs(type, value), malformed(`must be a string, not ${kind}`))
    const empty = refused('is required and must not be empty')
    assert.deepEqual(checkAs(type, '', { required: true }), empty)
  })

test('text in any script is stored unchanged within, with tabs and line ends', () => {
  for (const text of [
    '',
    "'; DROP TABLE x; --",
    'č\tš\r\nž',
    fox,
    // Marks that do not affect other characters; names in Hebrew or Arabic may contain them.
    '\u200E\u200F\u061C',
    '\u0316'.repeat(30),
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
test('texts are kept composed, and lines without blanks at their ends', () => {
  for (const [given, line, prose] of forms) {
    assert.deepEqual(checkAs('string', given), { value: line })
    assert.deepEqual(checkAs('text', given), { value: prose })
  }
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

test('every text type has a maximum length in characters, with or without maxLength', () => {
  const tooLong = (length: number, max: number) =>
    refused(`has ${length} characters, at most ${max} are allowed`)
  assert.deepEqual(checkAs('string', 'x'.repeat(255)), { value: 'x'.repeat(255) })
  assert.deepEqual(checkAs('string', 'x'.repeat(256)), tooLong(256, 255))
  assert.deepEqual(checkAs('text', fox.repeat(100_000)), { value: fox.repeat(100_000) })
  assert.deepEqual(checkAs('text', fox.repeat(100_001)), tooLong(100_001, 100_000))
  assert.deepEqual(checkAs('string', fox.repeat(3), { maxLength: 3 }), { value: fox.repeat(3) })
  assert.deepEqual(checkAs('string', fox.repeat(4), { maxLength: 3 }), tooLong(4, 3))
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
test('an e-mail address has a name and a host, and nothing else', () => {
  const notAddress = refused('must be an e-mail address, such as anna@example.com')
  for (const [text, isAddress] of addresses)
    assert.deepEqual(checkAs('email', text), isAddress ? { value: text } : notAddress, text)
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

const notUrl = (schemes: string, example: string) =>
  refused(`must be an absolute URL that begins with ${schemes}, such as ${example}`)

test('a url is absolute, has a host, and is stored unchanged', () => {
  for (const text of [
    ...['https://example.com', 'http://example.com:8080/a/b?c=d&e=%20#f', 'HTTPS://Example.com/'],
    ...['https://[::1]/', 'https://example.com/žaba?q=č', 'https://пример.рф/'],
    "https://example.com/'--;",
  ])
    assert.deepEqual(checkAs('url', text), { value: text })
  for (const text of [
    ...['', 'example.com', '/page', '//example.com/', 'https:', 'https://', 'https:///page'],
    ...['https:example.com', 'https:\\\\example.com', 'https://exa mple.com/'],
    ...['https://example.com/a b', ' https://example.com/', 'https://example.com:99999/'],
    ...['https://[::1', 'javascript:alert(1)', 'data:text/html,<script>', 'file:///etc/passwd'],
    'mailto:anna@example.com',
  ]) {
    const issue = notUrl('https: or http:', 'https://www.example.com/page')
    assert.deepEqual(checkAs('url', text), issue, text)
  }
})

test('a url has a scheme that its field allows', () => {
  const schemes = { schemes: ['mailto', 'sftp'] }
  for (const text of ['mailto:anna@example.com', 'sftp://files.example.com/in'])
    assert.deepEqual(checkAs('url', text, schemes), { value: text })
  const issue = notUrl('mailto: or sftp:', 'mailto:example')
  assert.deepEqual(checkAs('url', 'https://example.com/', schemes), issue)
})

test('a pattern matches whole texts', () => {
  const patterns: readonly [pattern: string, text: string, matches: boolean][] = [
    ['[A-Z]{2}-[0-9]+', 'PO-1', true],
    ['[A-Z]{2}-[0-9]+', 'PO-1\nx', false],
    ['[A-Z]{2}-[0-9]+', 'xPO-1', false],
    ['a|b', 'ab', false],
    ['^PO$', 'PO', true],
    ['.', fox, true],
  ]
  for (const [pattern, text, matches] of patterns) {
    const expected = matches ? { value: text } : refused(`must match the pattern ${pattern}`)
    assert.deepEqual(checkAs('string', text, { pattern }), expected)
  }
})

// Clients evaluate patterns by the rules of JavaScript.
test('a pattern means the same as in JavaScript', () => {
  const texts = [
    ...[
      '',
      'a',
      'b',
      'l',
      ':',
      '[',
      ']',
      '-',
      '1',
      'Ω',
      'ž',
      '\u0301',
      '\u{1F600}',
      '.',
      ' ',
      '_b',
    ],
    ...['\n', '\r', '\u2028', '\u2029', '\t', '\v', '\f', '\b', '\u00a0', '\ufeff', '\u0085'],
    ...['a\n', '\nb'],
  ]
  for (const pattern of [
    ...['.', '[.]', '(?s:.)', '(?s:(?-s:.))', '\\s', '\\S', '[^\\s]', '[\\S]', '\\p{Script=Greek}'],
    ...['[^\\p{scx=Greek}]', '\\p{Letter}|\\P{gc=L}+', '\\uD83D\\uDE00', '[\\u{1F600}\\u0061]'],
    ...['[\\b]', '[[:alpha:]', '(?<n>a)|[^]b', '^[\\w\\-\\]]?$'],
  ]) {
    const expected = new RegExp(`^(?:${pattern})$`, 'u')
    assert.equal(patternIssue(pattern), undefined)
    for (const text of texts)
      assert.equal(
        matchesPattern(pattern, text),
        expected.test(text),
        JSON.stringify([pattern, text]),
      )
  }
})
