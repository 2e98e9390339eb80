/** The console offers no comparison that the service rejects for a field, and reads back each that it writes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Field } from '../../../console/api/types.ts'
import {
  comparisonOf,
  comparisonsOf,
  ruleOf,
} from '../../../console/features/condition/comparisons.ts'
import { type FieldDefinition, fieldTypeOf } from '../../../src/definitions/field-types.ts'
import { operators } from '../../../src/query/criteria/operators.ts'

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

describe('comparisons of a field', () => {
  for (const field of fields)
    test(`of the type ${field.type}`, () => {
      const { comparison } = fieldTypeOf(field)
      const accepted = Object.entries(operators).flatMap(([name, { fits }]) =>
        (fits as readonly string[]).includes(comparison) ? [name] : [],
      )
      const offered = comparisonsOf({
        ...field,
        column: 'a',
        isSystem: false,
        isCalculated: false,
      } as Field)
      assert.ok(offered.length > 0)
      const sent = offered.map((one) => ruleOf('a', one, 'b').operator)
      assert.deepEqual(
        sent.filter((name) => !accepted.includes(name)),
        [],
      )
    })
})

describe('words for patterns', () => {
  test('a text is found as it is typed, whatever it holds', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[%_\\a]{1,6}$/))
    fc.assert(
      fc.property(fc.constantFrom('has', 'begins', 'ends'), text, (comparison, value) => {
        fc.pre(value !== '')
        assert.deepEqual(comparisonOf(ruleOf('a', comparison, value)), { comparison, value })
      }),
    )
  })

  test('a pattern that says more stays a pattern', () => {
    for (const value of ['%a_b%', 'a%b', 'a', '%\\', '_'])
      assert.equal(
        comparisonOf({ kind: 'rule', path: 'a', operator: '$ilike', value }).comparison,
        '$ilike',
      )
    assert.equal(ruleOf('a', 'has', '50%').value, '%50\\%%')
  })
})
