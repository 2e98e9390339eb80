/** Errors keep the properties that matter when they are sent between threads, such as whether the database is unavailable. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isLastAfterWork, isUnavailable } from '../../../src/database/database-errors.ts'
import { createPool } from '../../../src/database/pool.ts'
import { ApiError, apiError } from '../../../src/errors.ts'
import { fromPlainError, toPlainError } from '../../../src/processes/plain-error.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

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

const folder = temporaryFolder()

const errorOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => assert.fail('the promise was not rejected'),
    (error: Error) => error,
  )

test('a missing socket means that the database is unavailable, also when the error comes from another thread', async () => {
  const connectionString = `postgres://nobody@/none?host=${folder}`
  const pool = createPool({ connectionString, size: 1, observe: () => undefined })
  const error = await errorOf(pool.query('SELECT 1'))
  assert.match(error.message, /ENOENT/)
  assert.ok(isUnavailable(error))
  assert.ok(isUnavailable(sent(error)))
  await pool.end()
})

for (const code of ['EMFILE', 'ENFILE'])
  test(`a connection that fails with ${code} means that the database is unavailable, a file does not`, () => {
    const failed = (message: string) => Object.assign(new Error(message), { code })
    assert.ok(isUnavailable(failed(`connect ${code} 127.0.0.1:5432 - Local (undefined:undefined)`)))
    assert.ok(!isUnavailable(failed(`${code}: too many open files, open '/etc/hosts'`)))
  })

test('a missing file neither means that the database is unavailable nor ends the session', async () => {
  const error = await errorOf(readFile(join(folder, 'none')))
  assert.match(error.message, /ENOENT/)
  assert.ok(!isUnavailable(error))
  assert.ok(!isUnavailable(sent(error)))
  assert.ok(!isLastAfterWork(error))
})
