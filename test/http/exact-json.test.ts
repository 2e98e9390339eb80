/** Reading JSON bodies: what loses no digit is taken as it is, everything else names its place. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '../../src/errors.ts'
import { parseExactJson } from '../../src/http/exact-json.ts'

const refusal = (text: string): Fault => {
  try {
    parseExactJson(text)
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error(`Nothing was refused in ${text.slice(0, 100)}.`)
}

const nested = (levels: number, inner = '') => '['.repeat(levels) + inner + ']'.repeat(levels)

describe('numbers', () => {
  const exact = [
    '0',
    '-0',
    '9007199254740991',
    '-9007199254740991',
    '9007199254740992',
    '0.1',
    '1.50',
    '1.5000000000000000000',
    '123456789.12345',
    '1e3',
    '1E+3',
    '1.5e300',
    '1000000000000000000000',
    '5e-324',
    '0.000000000000000000000000000001',
  ]
  for (const text of exact)
    test(`${text} is kept`, () => {
      assert.deepEqual(parseExactJson(`{"a":${text}}`), { a: Number(text) })
    })

  const lossy = [
    '12345678901234567890',
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1E400',
    '1e-400',
    '0.12345678901234567890',
    '12345678.10000000001',
    '1234567.12345678901',
    '123456789012345678e-3',
    '0.30000000000000004441',
  ]
  for (const text of lossy)
    test(`${text} is refused by its path`, () => {
      const { code, errors } = refusal(`{"a":${text}}`)
      assert.equal(code, 'request.invalid')
      assert.deepEqual(errors, [
        { path: 'a', message: `the number ${text} cannot be kept exactly; send it as a string` },
      ])
    })

  test('every number that loses digits is told, each with its whole path', () => {
    const text = '{"$where":{"total":{"$in":[1,1e400]}},"b":[{"c":9007199254740993}],"d":2}'
    assert.deepEqual(
      refusal(text).errors.map(({ path }) => path),
      ['$where.total.$in[1]', 'b[0].c'],
    )
    assert.deepEqual(
      refusal('1e400').errors.map(({ path }) => path),
      [''],
    )
  })

  test('digits inside text are no numbers', () => {
    const value = { a: '12345678901234567890', '1e400': '127.0.0.1.127.0.0.1.1', b: '1e999' }
    assert.deepEqual(parseExactJson(JSON.stringify(value)), value)
  })

  test('what JavaScript printed is read back as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(parseExactJson(JSON.stringify(value)), JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('a decimal that is taken has exactly the digits that were sent', () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,14}\.\d{0,14}[1-9]$/)
    fc.assert(
      fc.property(digits, (text) => {
        const isKept = String(Number(text)) === text
        if (isKept) assert.equal(parseExactJson(text), Number(text))
        else assert.equal(refusal(text).code, 'request.invalid')
      }),
    )
  })
})

describe('names', () => {
  test('__proto__ and constructor are names like others and change no object', () => {
    for (const text of ['{"__proto__":{"a":1},"constructor":2}', '{"__proto__":[1e2,1.0e003]}']) {
      const value = parseExactJson(text) as Record<string, unknown>
      assert.ok(Object.hasOwn(value, '__proto__'))
      assert.equal(Object.getPrototypeOf(value), Object.prototype)
    }
    assert.equal(({} as { a?: unknown }).a, undefined)
  })

  test('of a name given twice the last value counts', () => {
    assert.deepEqual(parseExactJson('{"a":1,"a":2}'), { a: 2 })
  })
})

describe('malformed JSON', () => {
  const places: readonly [string, string][] = [
    ['', 'The body is empty.'],
    ['{', 'The body breaks off.'],
    ['{"a":1', 'The body breaks off.'],
    ['{"a":"x', 'The body breaks off.'],
    ['{"a": nope}', 'The JSON breaks at line 1, column 7.'],
    ['{bad}', 'The JSON breaks at line 1, column 2.'],
    ['{"a":1}}', 'The JSON breaks at line 1, column 8.'],
    ['{"a":1,}', 'The JSON breaks at line 1, column 8.'],
    ['{\n  "a": 1\n  "b": 2\n}', 'The JSON breaks at line 3, column 3.'],
    ["{'a':1}", 'The JSON breaks at line 1, column 2.'],
    ['// none\n{}', 'The JSON breaks at line 1, column 1.'],
    ['{"a":"\u0001"}', 'The JSON breaks at line 1, column 7.'],
    ['position 99 (line 1 column 2)', 'The JSON breaks at line 1, column 1.'],
    [nested(50_000, 'x'), 'The body is not JSON, and too deep to tell where.'],
  ]
  for (const [text, detail] of places)
    test(`${JSON.stringify(text.slice(0, 40))}: ${detail}`, () => {
      const { code, message } = refusal(text)
      assert.deepEqual([code, message], ['request.malformed-json', detail])
    })

  const alsoMalformed = [
    'NaN',
    'Infinity',
    '01',
    '+1',
    '.5',
    '1.',
    "'a'",
    'undefined',
    '[1,]',
    '\\',
  ]
  for (const text of alsoMalformed)
    test(`${text} is not JSON`, () => {
      assert.equal(refusal(text).code, 'request.malformed-json')
    })
})

describe('depth', () => {
  test('a hundred levels are read, one more and very many are refused', () => {
    assert.ok(parseExactJson(nested(100)))
    for (const text of [nested(101), nested(200_000), nested(200_000, '1e400')])
      assert.deepEqual(refusal(text).errors, [
        { path: '', message: 'is nested deeper than 100 levels' },
      ])
  })
})
