/** JSON bodies: numbers that keep all digits are accepted unchanged, anything else is rejected with its place; and their limits. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../../../src/errors.ts'
import { parseLosslessJson } from '../../../src/http/json/lossless-json.ts'

/** The error that rejects a JSON text. */
const rejectionOf = (text: string): ApiError => {
  try {
    parseLosslessJson(text)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error(`Nothing was rejected in ${text.slice(0, 100)}.`)
}

describe('numbers', () => {
  const exact = [
    ...['0', '-0', '9007199254740991', '-9007199254740991', '9007199254740992', '0.1', '1.50'],
    ...['1.5000000000000000000', '123456789.12345', '1e3', '1E+3', '1.5e300', '5e-324'],
    ...['1000000000000000000000', '0.000000000000000000000000000001'],
  ]
  test('those that keep all digits are accepted unchanged', () => {
    for (const text of exact)
      assert.deepEqual(parseLosslessJson(`{"a":${text}}`), { a: Number(text) })
  })

  const lossy = [
    ...['12345678901234567890', '9007199254740993', '-9007199254740993', '1e400', '-1E400'],
    ...['1e-400', '0.12345678901234567890', '12345678.10000000001', '1234567.12345678901'],
    ...['123456789012345678e-3', '0.30000000000000004441'],
  ]
  test('others are rejected by their path', () => {
    for (const text of lossy) {
      const { code, errors } = rejectionOf(`{"a":${text}}`)
      assert.equal(code, 'request.invalid')
      assert.deepEqual(errors, [
        { path: 'a', message: `the number ${text} cannot be kept exactly; send it as a string` },
      ])
    }
  })

  test('every number that loses digits is reported with its whole path', () => {
    const text = '{"$where":{"total":{"$in":[1,1e400]}},"b":[{"c":9007199254740993}],"d":2}'
    assert.deepEqual(
      rejectionOf(text).errors.map(({ path }) => path),
      ['$where.total.$in[1]', 'b[0].c'],
    )
    assert.deepEqual(
      rejectionOf('1e400').errors.map(({ path }) => path),
      [''],
    )
  })

  test('digits inside text are not numbers', () => {
    const value = { a: '12345678901234567890', '1e400': '127.0.0.1.127.0.0.1.1', b: '1e999' }
    assert.deepEqual(parseLosslessJson(JSON.stringify(value)), value)
  })

  test('values that JavaScript has serialized are read back unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(
          parseLosslessJson(JSON.stringify(value)),
          JSON.parse(JSON.stringify(value)),
        )
      }),
    )
  })

  test('an accepted decimal has exactly the digits that were sent', () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,14}\.\d{0,14}[1-9]$/)
    fc.assert(
      fc.property(digits, (text) => {
        const isKept = String(Number(text)) === text
        if (isKept) assert.equal(parseLosslessJson(text), Number(text))
        else assert.equal(rejectionOf(text).code, 'request.invalid')
      }),
    )
  })
})

describe('names', () => {
  test('__proto__ and constructor are ordinary names and change no object', () => {
    for (const text of ['{"__proto__":{"a":1},"constructor":2}', '{"__proto__":[1e2,1.0e003]}']) {
      const value = parseLosslessJson(text) as Record<string, unknown>
      assert.ok(Object.hasOwn(value, '__proto__'))
      assert.equal(Object.getPrototypeOf(value), Object.prototype)
    }
    assert.equal(({} as { a?: unknown }).a, undefined)
  })

  const repeated: readonly [string, readonly string[]][] = [
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"a":{"b":1},"a":{"b":2}}', ['a']],
    ['{"a":[{},{"b":1,"c":[],"b":[]}]}', ['a[1].b']],
    ['[{"a":1,"a":1,"a":1}]', ['[0].a', '[0].a']],
    ['{"":{"__proto__":1,"__proto__":2}}', ['.__proto__']],
    ['{"a\\"b":1,"c":"{\\"a\\":1","a\\"b":2}', ['a"b']],
  ]
  test('a duplicate name in an object is rejected by its path', () => {
    for (const [text, paths] of repeated)
      assert.deepEqual(
        rejectionOf(text).errors,
        paths.map((path) => ({ path, message: 'is given more than once in its object' })),
      )
  })

  test('the same name in several objects, in text and in arrays is no duplicate', () => {
    const value = { a: { a: [{ a: 1 }, { a: 2 }] }, b: '"a":1,"a":2', c: ['a', 'a', '\\', '"'] }
    assert.deepEqual(parseLosslessJson(JSON.stringify(value)), value)
  })

  test('the path contains the beginning of a long name', () => {
    const [issue] = rejectionOf(`{"${'k'.repeat(100_000)}":1e400}`).errors
    assert.equal(issue?.path, `${'k'.repeat(100)}…`)
  })
})

describe('malformed JSON', () => {
  test('has the place of the first token that is wrong', () => {
    assert.equal(rejectionOf('').message, 'The body is empty.')
    for (const text of ['{', '{"a":"x', '["\\u00'])
      assert.equal(rejectionOf(text).message, 'The body is incomplete.')
    for (const [text, line, column] of [
      ['{"a": nope}', 1, 7],
      ['{bad}', 1, 2],
      ['{"a":1}}', 1, 8],
      ['{"a":1,}', 1, 8],
      ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
      ["{'a':1}", 1, 2],
      ['// none\n{}', 1, 1],
      ['{"a":"\u0001"}', 1, 6],
      ['position 99 (line 1 column 2)', 1, 1],
      ['["a\\x"]', 1, 2],
      ['{"a":"b\nc"}', 1, 6],
      ['[1 2]', 1, 4],
      ['{"a":}', 1, 6],
      ['{"a":1]', 1, 7],
      ['[1.e3]', 1, 2],
      [`${'[}'.repeat(200)}x`, 1, 2],
    ] as const) {
      const { code, message } = rejectionOf(text)
      const detail = `The JSON is malformed at line ${line}, column ${column}.`
      assert.deepEqual([code, message], ['request.malformed-json', detail])
    }
  })

  test('what other languages write is not JSON', () => {
    for (const text of ['NaN', 'Infinity', '01', '+1', '.5', '1.', "'a'", 'undefined', '[1,]'])
      assert.equal(rejectionOf(text).code, 'request.malformed-json', text)
  })
})

test('any text is rejected where JSON.parse rejects it, at a place within it', () => {
  const piece = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', '"', '\\', '"a"', '1', '-', '.5', 'e9', 'true', 'nul', ' '],
  )
  const text = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, (source) => {
      if (isParsed(source)) return
      const { message } = rejectionOf(source)
      if (message === 'The body is incomplete.') return
      const [, line = 0, column = 0] = /at line (\d+), column (\d+)\.$/.exec(message) ?? []
      const lines = source.split('\n')
      assert.ok(Number(column) <= (lines[Number(line) - 1]?.length ?? 0), message)
    }),
    { numRuns: 500 },
  )
})

const isParsed = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

// Limits, which apply before parsing: depth, sizes, and the number of reported issues.
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
