/** The detail of an error is a sentence for a person. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validationError } from '../src/errors.ts'
import { recordError } from '../src/records/write/find-conflicts.ts'

const name = { path: 'name', message: 'is required' }
const body = { path: '', message: 'must be an object, not null' }

test('the detail of one mistake is its place and its message', () => {
  const { message, errors } = validationError('request.invalid', [name])
  assert.equal(message, 'name: is required')
  assert.deepEqual(errors, [name])
})

test('a mistake of the whole body has no place, so no colon', () => {
  const { message, errors } = validationError('request.invalid', [body])
  assert.equal(message, 'must be an object, not null')
  assert.deepEqual(errors, [body])
})

test('the detail of several mistakes is their number', () => {
  assert.equal(validationError('request.invalid', [name, body]).message, '2 issues.')
})

test('mistakes of values are told in the same words', () => {
  for (const issue of [name, body]) {
    const told = recordError([{ ...issue, rule: 'malformed' }])
    const expected = validationError('request.invalid', [issue])
    assert.deepEqual([told.message, told.errors], [expected.message, expected.errors])
  }
})
