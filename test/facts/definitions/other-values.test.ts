/** Values of the types boolean, json and oneToMany; SQL type and JSON schema of every field type. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldDefinition } from '../../../src/definitions/field-types.ts'
import { fieldTypeOf } from '../../../src/definitions/field-types.ts'
import type { SqlValue } from '../../../src/definitions/values/check-value.ts'
import { checkAs, malformed } from './a-field.ts'

test('a boolean accepts true and false only', () => {
  assert.deepEqual(checkAs('boolean', true), { value: true })
  assert.deepEqual(checkAs('boolean', false), { value: false })
  for (const [value, kind] of [
    ['true', 'a string'],
    [1, 'a number'],
    [null, 'null'],
    [[], 'an array'],
  ])
    assert.deepEqual(checkAs('boolean', value), malformed(`must be true or false, not ${kind}`))
})

const jsonValues: readonly [value: unknown, text: SqlValue][] = [
  [null, 'null'],
  [1.5, '1.5'],
  ['a', '"a"'],
  [{ b: 1, a: [true, null, 'č'] }, '{"b":1,"a":[true,null,"č"]}'],
  [JSON.parse('{"__proto__":{"a":1},"constructor":2}'), '{"__proto__":{"a":1},"constructor":2}'],
]
test('json is stored as compact text', () => {
  for (const [value, text] of jsonValues) assert.deepEqual(checkAs('json', value), { value: text })
})

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

test('json accepts what PostgreSQL can store, up to 64 levels deep', () => {
  assert.ok('value' in checkAs('json', nested(64)))
  assert.deepEqual(checkAs('json', nested(65)), malformed('is nested deeper than 64 levels'))
  const nul = malformed('contains the control character NUL at position 0')
  assert.deepEqual(checkAs('json', { a: ['\0'] }), nul)
  assert.deepEqual(checkAs('json', { '\0': 1 }), nul)
  const half = malformed('contains half of a surrogate pair, which is not a character')
  assert.deepEqual(checkAs('json', ['\uD800']), half)
})

test('a one-to-many rejects values and has no column', () => {
  assert.deepEqual(checkAs('oneToMany', [1]), malformed('one-to-many fields cannot be written'))
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
test('every type with a column has its type of SQL', () => {
  for (const [field, sqlType] of columns) assert.equal(fieldTypeOf(field).sqlType(), sqlType)
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
test('the JSON schema of a field has the rules that a schema can express', () => {
  for (const [field, schema] of schemas) assert.deepEqual(fieldTypeOf(field).jsonSchema, schema)
})
