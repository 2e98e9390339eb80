/** The detail of a validation error. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validationError } from '../../src/errors.ts'
import { recordError } from '../../src/records/write/write-rejected.ts'

const name = { path: 'name', message: 'is required' }
const body = { path: '', message: 'must be an object, not null' }

test('the detail of one issue is its path and message, that of several their number', () => {
  for (const [issues, detail] of [
    [[name], 'name: is required'],
    [[body], 'must be an object, not null'],
    [[name, body], '2 issues.'],
  ] as const) {
    const ofRecord = recordError(issues.map((issue) => ({ ...issue, rule: 'malformed' })))
    for (const { message, errors } of [validationError('request.invalid', issues), ofRecord])
      assert.deepEqual([message, errors], [detail, issues])
  }
})
