/** The detail of a validation error. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validationError } from '../../src/errors.ts'
import { recordError } from '../../src/records/write/find-conflicts.ts'

const name = { path: 'name', message: 'is required' }
const body = { path: '', message: 'must be an object, not null' }

test('the detail of a single issue is its path and message', () => {
  const { message, errors } = validationError('request.invalid', [name])
  assert.equal(message, 'name: is required')
  assert.deepEqual(errors, [name])
})

test('the detail of an issue without a path is its message', () => {
  const { message, errors } = validationError('request.invalid', [body])
  assert.equal(message, 'must be an object, not null')
  assert.deepEqual(errors, [body])
})

test('the detail of several issues is their number', () => {
  assert.equal(validationError('request.invalid', [name, body]).message, '2 issues.')
})

test('recordError has the same detail as validationError', () => {
  for (const issue of [name, body]) {
    const actual = recordError([{ ...issue, rule: 'malformed' }])
    const expected = validationError('request.invalid', [issue])
    assert.deepEqual([actual.message, actual.errors], [expected.message, expected.errors])
  }
})
