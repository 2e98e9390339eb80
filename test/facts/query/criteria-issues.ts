/** The issues of query criteria. */
import assert from 'node:assert/strict'
import { ApiError, type Issue } from '../../../src/errors.ts'

/** The issues that parsing or planning of criteria throws; none when it succeeds. */
export const criteriaIssues = (work: () => unknown): readonly Issue[] => {
  try {
    work()
    return []
  } catch (error) {
    assert.ok(error instanceof ApiError)
    assert.equal(error.code, 'criteria.invalid')
    return error.errors
  }
}
