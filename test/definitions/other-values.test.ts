/** Values of the types boolean, json and oneToMany; and what every field type says of itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldDefinition } from '../../src/definitions/field-types.ts'
import { fieldTypeOf } from '../../src/definitions/field-types.ts'
import type { SqlValue } from '../../src/definitions/values/check-value.ts'
import { checkedAs, malformed } from './a-field.ts'

test('a boolean is true or false, and nothing that looks like it', () => {
  assert.deepEqual(checkedAs('boolean', true), { value: true })
  assert.deepEqual(checkedAs('boolean', false), { value: false })
  for (const [value, kind] of [
    ['true', 'a string'],
    [1, 'a number'],
    [null, 'null'],
    [[], 'an array'],
  ])
    assert.deepEqual(checkedAs('boolean', value), malformed(`must be true or false, not ${kind}`))
})

const kept: readonly [value: unknown, text: SqlValue][] = [
  [null, 'null'],
  [1.5, '1.5'],
  ['a', '"a"'],
  [{ b: 1, a: [true, null, 'č'] }, '{"b":1,"a":[true,null,"č"]}'],
  [JSON.parse('{"__proto__":{"a":1},"constructor":2}'), '{"__proto__":{"a":1},"constructor":2}'],
]
for (const [value, text] of kept)
  test(`json ${text} is kept`, () => {
    assert.deepEqual(checkedAs('json', value), { value: text })
  })

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

test('json takes what PostgreSQL can keep, 64 levels deep', () => {
  assert.ok('value' in checkedAs('json', nested(64)))
  assert.deepEqual(checkedAs('json', nested(65)), malformed('is nested deeper than 64 levels'))
  const nul = malformed('contains the control character NUL at position 0')
  assert.deepEqual(checkedAs('json', { a: ['\0'] }), nul)
  assert.deepEqual(checkedAs('json', { '\0': 1 }), nul)
  const half = malformed('contains half of a surrogate pair, which is not a character')
  assert.deepEqual(checkedAs('json', ['\uD800']), half)
})

test('a one-to-many takes no value and has no column', () => {
  assert.deepEqual(checkedAs('oneToMany', [1]), malformed('one-to-many fields cannot be written'))
  assert.throws(
    () => fieldTypeOf({ key: 'a', type: 'oneToMany', entity: 'b', mappedBy: 'c' }).sqlType(),
    /has no column/,
  )
})

const columns: readonly [field: FieldDefinition, sqlType: string][] = [
  [{ key: 'a', type: 'string', maxLength: 5 }, 'text'],
  [{ key: 'a', type: 'text' }, 'text'],
  [{ key: 'a', type: 'email' }, 'text'],
  [{ key: 'a', type: 'url' }, 'text'],
  [{ key: 'a', type: 'integer' }, 'integer'],
  [{ key: 'a', type: 'bigint' }, 'bigint'],
  [{ key: 'a', type: 'decimal' }, 'numeric'],
  [{ key: 'a', type: 'decimal', precision: 9 }, 'numeric(9,0)'],
  [{ key: 'a', type: 'decimal', precision: 9, scale: 2 }, 'numeric(9,2)'],
  [{ key: 'a', type: 'boolean' }, 'boolean'],
  [{ key: 'a', type: 'date' }, 'date'],
  [{ key: 'a', type: 'timestamp' }, 'timestamp(3) with time zone'],
  [{ key: 'a', type: 'enum', values: ['x'] }, 'text'],
  [{ key: 'a', type: 'json' }, 'json'],
  [{ key: 'a', type: 'manyToOne', entity: 'b' }, 'integer'],
]
for (const [field, sqlType] of columns)
  test(`the column of ${JSON.stringify(field)} is ${sqlType}`, () => {
    assert.equal(fieldTypeOf(field).sqlType(), sqlType)
  })

const schemas: readonly [field: FieldDefinition, schema: object][] = [
  [
    { key: 'a', type: 'string', maxLength: 5, pattern: 'a|b' },
    { type: 'string', maxLength: 5, pattern: '^(?:a|b)$' },
  ],
  [{ key: 'a', type: 'text' }, { type: 'string' }],
  [
    { key: 'a', type: 'integer' },
    { type: 'integer', minimum: -2147483648, maximum: 2147483647 },
  ],
  [
    { key: 'a', type: 'integer', min: 0, max: 9 },
    { type: 'integer', minimum: 0, maximum: 9 },
  ],
  [
    { key: 'a', type: 'enum', values: ['x', 'y'] },
    { type: 'string', enum: ['x', 'y'] },
  ],
  [{ key: 'a', type: 'json' }, {}],
  [
    { key: 'a', type: 'manyToOne', entity: 'b' },
    { type: 'integer', minimum: 1, maximum: 2147483647 },
  ],
]
for (const [field, schema] of schemas)
  test(`the JSON schema of ${JSON.stringify(field)}`, () => {
    assert.deepEqual(fieldTypeOf(field).jsonSchema, schema)
  })
