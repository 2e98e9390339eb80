/** The console offers no operator that the service rejects for a field. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Field } from '../../console/api/types.ts'
import { operatorsOf } from '../../console/features/filter/operators.ts'
import { type FieldDefinition, fieldTypeOf } from '../../src/definitions/field-types.ts'
import { operators } from '../../src/query/criteria/operators.ts'

const fields: readonly FieldDefinition[] = [
  { key: 'a', type: 'string' },
  { key: 'a', type: 'text' },
  { key: 'a', type: 'email' },
  { key: 'a', type: 'url' },
  { key: 'a', type: 'integer' },
  { key: 'a', type: 'bigint' },
  { key: 'a', type: 'decimal', precision: 10, scale: 2 },
  { key: 'a', type: 'boolean' },
  { key: 'a', type: 'date' },
  { key: 'a', type: 'timestamp' },
  { key: 'a', type: 'enum', values: ['b'] },
  { key: 'a', type: 'json' },
  { key: 'a', type: 'manyToOne', entity: 'b' },
]

for (const field of fields)
  test(`a field of the type ${field.type}`, () => {
    const { comparison } = fieldTypeOf(field)
    const accepted = Object.entries(operators).flatMap(([name, { fits }]) =>
      (fits as readonly string[]).includes(comparison) ? [name] : [],
    )
    const offered = operatorsOf({ ...field, column: 'a', isSystem: false } as Field)
    assert.ok(offered.length > 0)
    assert.deepEqual(
      offered.filter((name) => !accepted.includes(name)),
      [],
    )
  })
