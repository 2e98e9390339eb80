/** Values of the text types: string, text, email, url and enum. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { matchesPattern, patternIssue } from '../../src/definitions/values/pattern.ts'
import { checkedAs, malformed, refused } from './a-field.ts'

const fox = '\u{1F98A}'

const hostile: readonly [text: string, fault: string][] = [
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
    // Marks that turn no other characters, as names in Hebrew or Arabic may have them.
    '\u200E\u200F\u061C',
  ])
    for (const type of ['string', 'text'] as const)
      assert.deepEqual(checkedAs(type, text), { value: text })
})

test('no text holds a control character but tab, line feed and carriage return', () => {
  for (const type of ['string', 'text', 'email', 'url'] as const)
    for (const code of ['\u0085', '\u009B', '\u007F', '\u001B'])
      assert.deepEqual(
        checkedAs(type, `a${code}`),
        malformed(
          `contains the control character U+00${(code.codePointAt(0) ?? 0).toString(16).toUpperCase()} at position 1`,
        ),
      )
})

test('what turns the direction of the text stands in prose only', () => {
  for (const code of ['\u202A', '\u202E', '\u2066', '\u2069']) {
    assert.deepEqual(checkedAs('text', `a${code}b`), { value: `a${code}b` })
    const name = `U+${(code.codePointAt(0) ?? 0).toString(16).toUpperCase()}`
    for (const type of ['string', 'email', 'url'] as const)
      assert.deepEqual(
        checkedAs(type, `a${code}b`),
        malformed(`holds ${name}, which changes the text direction, at position 1`),
      )
  }
})

test('a text has a limit, said or not', () => {
  const tooLong = (length: number, most: number) =>
    refused(`has ${length} characters, at most ${most} are allowed`)
  assert.deepEqual(checkedAs('string', 'x'.repeat(255)), { value: 'x'.repeat(255) })
  assert.deepEqual(checkedAs('string', 'x'.repeat(256)), tooLong(256, 255))
  assert.deepEqual(checkedAs('text', fox.repeat(100_000)), { value: fox.repeat(100_000) })
  assert.deepEqual(checkedAs('text', fox.repeat(100_001)), tooLong(100_001, 100_000))
  assert.deepEqual(checkedAs('text', 'abc', { maxLength: 2 }), tooLong(3, 2))
  assert.deepEqual(checkedAs('email', `a@${'b'.repeat(253)}`), tooLong(255, 254))
  const page = `https://example.com/${'x'.repeat(2_028)}`
  assert.deepEqual(checkedAs('url', page), { value: page })
  assert.deepEqual(checkedAs('url', `${page}x`), tooLong(2_049, 2_048))
})

test('a json value has a limit of bytes, said or not', () => {
  const tooLarge = (bytes: number, most: number) =>
    refused(`takes ${bytes} bytes as compact JSON, at most ${most} are allowed`)
  assert.deepEqual(checkedAs('json', 'x'.repeat(99_998)), { value: `"${'x'.repeat(99_998)}"` })
  assert.deepEqual(checkedAs('json', 'ž'.repeat(50_000)), tooLarge(100_002, 100_000))
  assert.deepEqual(checkedAs('json', [1, 2], { maxBytes: 4 }), tooLarge(5, 4))
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
// Clients match by the rules of JavaScript.
for (const pattern of [
  '.',
  '[.]',
  '(?s:.)',
  '(?s:(?-s:.))',
  '\\s',
  '\\S',
  '[^\\s]',
  '[\\S]',
  '\\p{Script=Greek}',
  '[^\\p{scx=Greek}]',
  '\\p{Letter}|\\P{gc=L}+',
  '\\uD83D\\uDE00',
  '[\\u{1F600}\\u0061]',
  '[\\b]',
  '[[:alpha:]',
  '(?<n>a)|[^]b',
  '^[\\w\\-\\]]?$',
]) {
  test(`the pattern ${pattern} means the same as in JavaScript`, () => {
    const texts = [
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
    ]
    const ends = [
      '\n',
      '\r',
      '\u2028',
      '\u2029',
      '\t',
      '\v',
      '\f',
      '\b',
      '\u00a0',
      '\ufeff',
      '\u0085',
    ]
    const expected = new RegExp(`^(?:${pattern})$`, 'u')
    assert.equal(patternIssue(pattern), undefined)
    for (const text of [...texts, ...ends, 'a\n', '\nb'])
      assert.equal(matchesPattern(pattern, text), expected.test(text), JSON.stringify(text))
  })
}
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

describe('a url', () => {
  for (const text of [
    'https://example.com',
    'http://example.com:8080/a/b?c=d&e=%20#f',
    'HTTPS://Example.com/',
    'https://[::1]/',
    'https://example.com/žaba?q=č',
    'https://пример.рф/',
    "https://example.com/'--;",
  ])
    test(`is kept as it was written: ${text}`, () => {
      assert.deepEqual(checkedAs('url', text), { value: text })
    })

  const wanted =
    'must be an absolute URL that begins with https: or http:, such as https://www.example.com/page'
  for (const text of [
    '',
    'example.com',
    '/page',
    '//example.com/',
    'https:',
    'https://',
    'https:///page',
    'https:example.com',
    'https:\\\\example.com',
    'https://exa mple.com/',
    'https://example.com/a b',
    ' https://example.com/',
    'https://example.com:99999/',
    'https://[::1',
    'javascript:alert(1)',
    'data:text/html,<script>',
    'file:///etc/passwd',
    'mailto:anna@example.com',
  ])
    test(`is not ${JSON.stringify(text)}`, () => {
      assert.deepEqual(checkedAs('url', text), refused(wanted))
    })

  test('begins with a scheme that its field names', () => {
    const schemes = { schemes: ['mailto', 'sftp'] }
    for (const text of ['mailto:anna@example.com', 'sftp://files.example.com/in'])
      assert.deepEqual(checkedAs('url', text, schemes), { value: text })
    assert.deepEqual(
      checkedAs('url', 'https://example.com/', schemes),
      refused('must be an absolute URL that begins with mailto: or sftp:, such as mailto:example'),
    )
  })
})
