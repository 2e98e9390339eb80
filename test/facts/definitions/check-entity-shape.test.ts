/** The shape of an entity definition, and the constraints of each field type. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notifiedOperations } from '../../../src/definitions/operations.ts'
import { errorsOfOrder, findingsOfEntities } from '../../support/definitions/a-project.ts'

const snake = '^[a-z][a-z0-9_]*$'
const fieldTypeNames =
  'string, text, email, url, phone, integer, bigint, decimal, boolean, date, timestamp, enum, json, file, files, manyToOne, oneToMany'

type Row = readonly [entity: object, issue?: string]

/** Each entity of one project has this issue, or none. */
const assertIssues = async (rows: readonly Row[]) => {
  const entities = rows.map(([entity], at) => [`row_${at}`, entity])
  assert.deepEqual(
    await findingsOfEntities(Object.fromEntries(entities)),
    rows.flatMap(([, issue], at) => (issue === undefined ? [] : [`row_${at}: ${issue}`])).sort(),
  )
}

// The published schemas have all rules of shape: these rows have one of each kind.
const entities: readonly Row[] = [
  [{ fields: {} }, 'fields must be an array, not an object'],
  [{ fields: undefined }, 'lacks the property "fields"'],
  [{ name: '' }, 'name must not be empty'],
  [{ ownership: 1 }, 'ownership must be true or false, not a number'],
  [{ extends: 'user' }, 'extends must be "native"'],
  [{ fiels: [] }, 'fiels is not a known property; did you mean "fields"?'],
  [{ indexes: [{ fields: [] }] }, 'indexes[0].fields must not be empty'],
  [
    { notifications: [{ operation: 'x', recipient: { userGroups: ['a'] } }] },
    `notifications[0].operation must be one of ${notifiedOperations.map((one) => `"${one}"`).join(', ')}`,
  ],
]
test('an entity has known properties of the right types', () => assertIssues(entities))

test('the key of an entity is no path of the service', async () => {
  const issue = (key: string) => `key "${key}" is a path of the service and cannot be an entity`
  assert.deepEqual(
    await findingsOfEntities({ api: {}, assets: {}, console: {} }),
    ['api', 'assets', 'console'].map((key) => `${key}: ${issue(key)}`),
  )
})

const keys: Record<string, readonly string[]> = {
  'is valid': ['a', 'a1_b', 'constructor', 'select', 'a'.repeat(63)],
  'must not have more than 63 characters': ['a'.repeat(64)],
  [`must match ${snake}`]: ['', 'A', '1a', '_a', 'a-b', 'a b', 'ž', 'a"; DROP TABLE b; --', 'a\n'],
  '"id" is a system field of every record': ['id'],
  '"created_by" is a system field of every record': ['created_by'],
  '"updated_by" is a system field of every record': ['updated_by'],
  '"owned_by" is a system field of every record': ['owned_by'],
  '"xmin" is a system column of PostgreSQL': ['xmin'],
}
test('the key of a field is a word, and not that of a system field or column', async () => {
  const rows = Object.entries(keys).flatMap(([issue, some]) =>
    some.map((key): Row => {
      const entity = { fields: [{ key, type: 'text' }] }
      return issue === 'is valid' ? [entity] : [entity, `fields[0].key ${issue}`]
    }),
  )
  await assertIssues(rows)
})

test('the column name of a many-to-one has at most 63 bytes', async () => {
  const link = (length: number) => ({ key: 'a'.repeat(length), type: 'manyToOne', entity: 'user' })
  assert.deepEqual(await errorsOfOrder({ fields: [link(60)] }), [])
  assert.deepEqual(await errorsOfOrder({ fields: [link(61)] }), [
    'fields[0].key is too long: with "_id" it must not exceed 63 bytes',
  ])
})

test('two fields may share neither a key nor a column name', async () => {
  const text = (key: string) => ({ key, type: 'text' })
  const link = { key: 'a', type: 'manyToOne', entity: 'user' }
  assert.deepEqual(await errorsOfOrder({ fields: [text('a'), text('a')] }), [
    'fields[1].key "a" is already used by the field "a"',
  ])
  assert.deepEqual(await errorsOfOrder({ fields: [link, text('a_id')] }), [
    'fields[1].key "a_id" is already used by the field "a"',
  ])
  assert.deepEqual(await errorsOfOrder({ fields: [text('a_id'), link] }), [
    'fields[1].key "a_id" is already used by the field "a_id"',
  ])
})

/** Settings of fields by their type; without an issue they are valid. */
const settings: Record<string, readonly (readonly [settings: object, issue?: string])[]> = {
  text: [
    [{ pattern: 'a' }, '.pattern is not a known property'],
    [{ maxLength: 1_000_001 }, '.maxLength must be at most 1000000'],
    [{ required: true, default: '' }],
  ],
  json: [[{ default: { a: [1] } }]],
  file: [
    [{ accept: ['application/pdf', 'image/*'], maxBytes: 1, required: true }],
    [
      { accept: ['image/jpg'] },
      '.accept [0] "image/jpg" is none of the media types that files are known by; did you mean "image/jpeg"?',
    ],
    [{ accept: [] }, '.accept must not be empty'],
    [{ maxBytes: 0 }, '.maxBytes must be at least 1'],
    [{ maxFiles: 2 }, '.maxFiles is not a known property'],
    [{ unique: true }, '.unique is not a known property'],
    [{ default: 1 }, '.default is not a known property'],
  ],
  files: [[{ maxFiles: 500 }], [{ maxFiles: 501 }, '.maxFiles must be at most 500']],
  string: [
    [{ maxLength: 0 }, '.maxLength must be at least 1'],
    [{ pattern: '[' }, '.pattern is not a regular expression'],
    [{ pattern: 'a)|(b' }, '.pattern is not a regular expression'],
    [
      { pattern: '(?=a)a' },
      '.pattern has look-around (`(?=`), which cannot be matched in linear time; remove it',
    ],
    [
      { pattern: '(a)\\1' },
      '.pattern has a back reference (`\\1`), which cannot be matched in linear time; remove it',
    ],
    [
      { pattern: '(?<a>.)\\k<a>' },
      '.pattern has a back reference (`\\k`), which cannot be matched in linear time; remove it',
    ],
    [
      { pattern: 'a{1001}' },
      '.pattern exceeds the limits of RE2, which matches it (invalid repeat count: `{1001}`); repeat counts are limited to 1000',
    ],
    [{ pattern: '\\p{Script=Greek}+' }],
    [{ pattern: 'a'.repeat(1001) }, '.pattern has 1001 characters, at most 1000 are allowed'],
    [
      { pattern: 'a+', maxLength: 10_001 },
      '.pattern is matched against at most 10000 characters, and "maxLength" allows 10001',
    ],
    [{ pattern: '([a-z]+)+', maxLength: 10_000 }],
    [{ maxLength: 1, default: 'ab' }, '.default has 2 characters, at most 1 are allowed'],
  ],
  url: [[{ schemes: ['HTTPS'] }, '.schemes[0] must match ^[a-z][a-z0-9+.-]*$']],
  integer: [
    [{ default: '1' }, '.default must be an integer, not a string'],
    [{ min: 3, max: 3, default: 3 }],
    [{ min: 3, max: 2 }, '.min must not be above "max", which is 2: no value would be valid'],
    [{ max: 2147483648 }, '.max must be between -2147483648 and 2147483647'],
  ],
  bigint: [
    [{ min: '5', max: 5, default: 5 }],
    [{ min: '6', max: 5 }, '.min must not be above "max", which is 5: no value would be valid'],
    [{ default: '1.5' }, '.default must be an integer or a string'],
  ],
  decimal: [
    [{ precision: 4, scale: 2, min: '-99.99', max: '99.99', default: '0' }],
    [{ scale: 2 }, '.scale needs a "precision"'],
    [{ precision: 2, scale: 3 }, '.scale must not be larger than the precision 2'],
    [
      { precision: 3, scale: 1, default: '0.05' },
      '.default has more than 1 digits after the point',
    ],
    [{ min: '1', default: '0' }, '.default must be at least 1'],
    [
      { default: 0.5 },
      '.default must be a string of digits, such as "0.50": JSON numbers cannot represent every decimal exactly',
    ],
  ],
  date: [[{ min: '2026-02-30' }, '.min must be an existing day as YYYY-MM-DD, not "2026-02-30"']],
  enum: [
    [{ values: ['a', ''] }, '.values[1] must not be empty'],
    [{ values: ['a', 'a'] }, '.values must not have duplicate items'],
    [{ values: ['a\0'] }, '.values "a\\u0000" contains the control character NUL at position 1'],
  ],
}
for (const [type, rows] of Object.entries(settings))
  test(`settings of the type ${type} are checked`, () =>
    assertIssues(
      rows.map(([field, issue]): Row => {
        const entity = { fields: [{ key: 'field', type, ...field }] }
        return issue === undefined ? [entity] : [entity, `fields[0]${issue}`]
      }),
    ))

test('a field is an object of a type that exists', async () => {
  const types = [undefined, 'sting', 'constructor'].map((type) => ({ key: 'a', type }))
  assert.deepEqual(await errorsOfOrder({ fields: [null, ...types] }), [
    'fields[0] must be an object, not null',
    `fields[1].type "undefined" is not a field type of ${fieldTypeNames}`,
    'fields[2].type "sting" is not a field type; did you mean "string"?',
    `fields[3].type "constructor" is not a field type of ${fieldTypeNames}`,
  ])
})
