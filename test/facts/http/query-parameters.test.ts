/** Query strings by a table of parameters: all issues at once, unknown names rejected. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError, apiError, type Issue } from '../../../src/errors.ts'
import {
  createTextReader,
  flag,
  headerName,
  id,
  ifMatch,
  integer,
  nameList,
  oneOf,
  readQuery,
} from '../../../src/http/endpoint/parameters.ts'
import { hasAlready, holds } from '../../../src/http/preconditions.ts'

const issuesOf = (read: () => unknown): readonly Issue[] => {
  try {
    read()
  } catch (error) {
    if (error instanceof ApiError && error.code === 'request.invalid') return error.errors
    throw error
  }
  return []
}

const readers = {
  limit: integer({ min: 1, max: 1000, default: 20, description: '' }),
  skip: integer({ min: 0, max: 10, description: '' }),
  bom: flag(''),
  format: oneOf(['csv', 'json'], { description: '' }),
  sort: nameList(''),
}

describe('readers', () => {
  const taken: readonly [keyof typeof readers, string, unknown][] = [
    ['limit', '1', 1],
    ['limit', '1000', 1000],
    ['limit', '007', 7],
    ['skip', '0', 0],
    ['bom', 'true', true],
    ['bom', 'false', false],
    ['format', 'csv', 'csv'],
    ['sort', 'a', ['a']],
    ['sort', '-a,b.c', ['-a', 'b.c']],
  ]
  test('take their values, and none without a value', () => {
    for (const [name, text, value] of taken)
      assert.deepEqual(readQuery({ [name]: text }, readers)[name], value)
    for (const name of Object.keys(readers))
      assert.deepEqual(readQuery({ [name]: '' }, readers), readQuery({}, readers))
  })

  const refused: Readonly<Record<keyof typeof readers, readonly string[]>> = {
    limit: [
      ...['0', '-1', '+1', '1001', '1e2', '1.0', '1.5', ' 1', '0x1', 'abc', '١'],
      '9'.repeat(400),
    ],
    skip: ['11'],
    bom: ['1', 'TRUE', 'yes'],
    format: ['CSV', 'cvs', 'csv,json'],
    sort: [',', 'a,', ',a', 'a,,b'],
  }
  for (const [name, texts] of Object.entries(refused))
    test(`other values of ${name} are rejected by the name of the parameter`, () => {
      for (const text of texts) {
        const [issue, ...more] = issuesOf(() => readQuery({ [name]: text }, readers))
        assert.deepEqual([issue?.path, more], [name, []], text)
        assert.match(issue?.message ?? '', /^must be /)
        assert.ok((issue?.message.length ?? 0) < 200)
      }
    })
})

describe('the whole query', () => {
  test('absent parameters have their default or are undefined', () => {
    const absent = { limit: 20, skip: undefined, bom: false, format: undefined, sort: undefined }
    assert.deepEqual(readQuery({}, readers), absent)
  })

  test('all issues are reported together', () => {
    const query = { limit: '0', limt: '5', bom: ['true', 'false'], toString: '1', sort: 'a' }
    assert.deepEqual(
      issuesOf(() => readQuery(query, readers)),
      [
        { path: 'limit', message: 'must be a whole number from 1 to 1000, not "0"' },
        { path: 'limt', message: 'is not a parameter of this path; did you mean "limit"?' },
        { path: 'bom', message: 'is given more than once' },
        { path: 'toString', message: 'is not a parameter of this path' },
      ],
    )
  })

  test('names that every object has are unknown parameters', () => {
    const query = JSON.parse('{"__proto__":"1","constructor":"1","hasOwnProperty":"1"}')
    assert.deepEqual(
      issuesOf(() => readQuery(query, {})).map(({ path }) => path),
      ['__proto__', 'constructor', 'hasOwnProperty'],
    )
  })
})

const readPath = createTextReader({
  entityId: id({
    description: '',
    unknown: (text) => apiError('record.unknown', text),
    errors: [],
  }),
})

test('an id of a path is a number; no record has one that is too large', () => {
  for (const text of ['1', '2147483647'])
    assert.deepEqual(readPath({ entityId: text }), { entityId: Number(text) })
  for (const text of ['2147483648', '99999999999', '9'.repeat(200)])
    assert.throws(() => readPath({ entityId: text }), { code: 'record.unknown' })
  for (const text of ['', '0', '-1', '01', '1.5', '1e3', '0x1', ' 1', 'abc', '１', '\0', "1'--"])
    assert.deepEqual(
      issuesOf(() => readPath({ entityId: text })).map(({ path }) => path),
      ['entityId'],
      text,
    )
})

const readHeaders = createTextReader({ ifMatch }, headerName)

test('If-Match is matched by the version, and refused where it is no entity tag', () => {
  for (const [header, version, matches] of [
    [undefined, 3, true],
    ['*', 3, true],
    ['"3"', 3, true],
    ['"2", "3"', 3, true],
    ['"2"', 3, false],
    ['W/"3"', 3, false],
    ['""', 3, false],
    ['"33"', 3, false],
  ] as const)
    assert.equal(
      holds(readHeaders({ 'if-match': header }).ifMatch, version),
      matches,
      String(header),
    )
  for (const header of ['', '3', '"3', '3"', "'3'", '"3" "4"', '"3",', 'w/"3"']) {
    const issues = issuesOf(() => readHeaders({ 'if-match': header }))
    assert.deepEqual([issues.length, issues[0]?.path], [1, 'If-Match'], header)
  }
})

test('If-None-Match is matched by any form of the tag', () => {
  for (const [header, already] of [
    [undefined, false],
    ['*', true],
    ['"3"', true],
    ['W/"3"', true],
    ['"1", W/"3"', true],
    ['"4"', false],
    ['3', false],
  ] as const)
    assert.equal(hasAlready(header, '"3"'), already, String(header))
})
