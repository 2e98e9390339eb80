/** Properties of every field type; this file does not compile until a new type has a field here. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type FieldOf,
  type FieldTypeName,
  fieldTypeOf,
} from '../../../src/definitions/field-types.ts'
import type { SqlValue } from '../../../src/definitions/values/check-value.ts'

const key = 'some_field'
const fields: { readonly [T in FieldTypeName]: FieldOf<T> } = {
  string: { key, type: 'string', maxLength: 20, pattern: '[A-Z]{2}-[0-9]+' },
  text: { key, type: 'text', required: true },
  email: { key, type: 'email', required: true },
  url: { key, type: 'url', schemes: ['https', 'ftp'] },
  phone: { key, type: 'phone', region: 'DE' },
  integer: { key, type: 'integer', min: 5, max: 20 },
  bigint: { key, type: 'bigint', min: '9007199254740993' },
  decimal: { key, type: 'decimal', precision: 8, scale: 2, max: '9.50' },
  boolean: { key, type: 'boolean' },
  date: { key, type: 'date', min: '2027-01-01' },
  timestamp: { key, type: 'timestamp', max: '2020-01-01 00:00:00' },
  enum: { key, type: 'enum', values: ['open', 'closed'] },
  json: { key, type: 'json', maxBytes: 50 },
  file: { key, type: 'file', accept: ['application/pdf'] },
  files: { key, type: 'files', maxFiles: 3 },
  manyToOne: { key, type: 'manyToOne', entity: 'other' },
  oneToMany: { key, type: 'oneToMany', entity: 'other', mappedBy: 'this' },
}
const timeZone = 'Europe/Zagreb'

const examplesOf = (type: FieldTypeName): readonly SqlValue[] => {
  const { check, examples } = fieldTypeOf(fields[type])
  return examples('Some field').flatMap((example) => {
    if (example === undefined) return []
    const result = check(example, timeZone)
    return 'value' in result ? [result.value] : []
  })
}

for (const field of Object.values(fields)) {
  const { type } = field
  const bound = fieldTypeOf(field)
  if (type === 'oneToMany') continue

  test(`${type}: at least one example passes the check of its field`, () => {
    assert.notEqual(examplesOf(type).length, 0)
  })

  test(`${type}: the JSON of a value is accepted by writes and searches`, () => {
    for (const value of examplesOf(type)) {
      assert.deepEqual(bound.check(bound.toJson(value), timeZone), { value })
      assert.deepEqual(bound.checkSearched(bound.toJson(value), timeZone), { value })
    }
  })

  // Files are not imported.
  if (type === 'file' || type === 'files') continue

  test(`${type}: the CSV text of a value is read as the same value`, () => {
    for (const value of examplesOf(type)) {
      const read = bound.fromCsv(String(value))
      assert.ok('value' in read)
      assert.deepEqual(bound.check(read.value, timeZone), { value })
    }
  })

  test(`${type}: an example is within the limits of its field`, () => {
    for (const value of examplesOf(type)) {
      assert.ok(Buffer.byteLength(String(value)) <= bound.maxBytes)
      assert.ok(String(value).length <= (bound.maxLength ?? Number.POSITIVE_INFINITY))
    }
  })
}

test('free text types are escaped against formulas, measured in bytes and searched by substring', () => {
  for (const type of ['string', 'text', 'email', 'url', 'phone'] as const) {
    const { isFreeText, isSearchedByPart, sizeSql } = fieldTypeOf(fields[type])
    assert.deepEqual(
      [isFreeText, isSearchedByPart, sizeSql?.('c')],
      [true, true, 'octet_length(c)'],
    )
  }
})
