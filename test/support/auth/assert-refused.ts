/** Asserts a response with the status 401. */
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { ApiError } from '../../../src/errors.ts'

/** Asserts that the promise rejects with a 401 that gives a reason and repeats nothing of the credential. */
export const assertRefused = async (
  promise: Promise<unknown>,
  why: RegExp,
  credential: string | undefined = undefined,
): Promise<void> => {
  const error = await promise.then(
    () => assert.fail('it was not rejected'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ApiError, inspect(error))
  assert.equal(error.code, 'caller.unauthenticated')
  assert.match(error.message, why)
  assert.match(error.headers['WWW-Authenticate'] ?? '', /^Bearer( error="invalid_token")?$/)
  for (const part of credential?.split('.') ?? [])
    if (part.length > 3) assert.ok(!inspect(error).includes(part), 'the error repeats the token')
}
