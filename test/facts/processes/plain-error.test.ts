/** Errors keep the properties that matter when they are sent between threads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUnavailable } from '../../../src/database/database-errors.ts'
import { ApiError, apiError } from '../../../src/errors.ts'
import { fromPlainError, toPlainError } from '../../../src/processes/plain-error.ts'

const sent = (error: unknown): Error => fromPlainError(structuredClone(toPlainError(error)))

test('name, message, code and stack of an error are kept', () => {
  const error = Object.assign(new RangeError('too far'), { code: '57P01' })
  const arrived = sent(error)
  assert.deepEqual(
    [arrived.name, arrived.message, arrived.stack, 'code' in arrived && arrived.code],
    [error.name, error.message, error.stack, '57P01'],
  )
  assert.ok(isUnavailable(arrived))
})

test('an error of the list of errors stays one', () => {
  const arrived = sent(apiError('export.cell-too-long', 'Too long.'))
  assert.ok(arrived instanceof ApiError)
  assert.deepEqual([arrived.code, arrived.message], ['export.cell-too-long', 'Too long.'])
})

test('a host with several addresses, none of which responds, still counts as an unreachable database', () => {
  const refused = (address: string) =>
    Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: 'ECONNREFUSED' })
  const error = new AggregateError([refused('::1'), refused('127.0.0.1')])
  const arrived = sent(Object.assign(error, { code: 'ECONNREFUSED' }))
  assert.equal(arrived.message, 'connect ECONNREFUSED ::1; connect ECONNREFUSED 127.0.0.1')
  assert.ok(isUnavailable(arrived))
})

test('a value that is not an error becomes one', () => {
  assert.equal(sent('thrown').message, 'thrown')
})
