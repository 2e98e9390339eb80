/** Which system errors mean that the database is unavailable. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isLastAfterWork, isUnavailable } from '../../../src/database/database-errors.ts'
import { createPool } from '../../../src/database/pool.ts'
import { fromPlainError, toPlainError } from '../../../src/processes/plain-error.ts'

const folder = await mkdtemp(join(tmpdir(), 'docket-errors-'))
test.after(() => rm(folder, { recursive: true }))

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
  assert.ok(isUnavailable(fromPlainError(toPlainError(error))))
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
  assert.ok(!isUnavailable(fromPlainError(toPlainError(error))))
  assert.ok(!isLastAfterWork(error))
})
