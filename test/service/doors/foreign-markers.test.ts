/** No path shows what a role may not read: a sample of the catalogues that `test/long/rights` makes, with a share of the requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkRights } from '../../support/rights/checked-rights.ts'

test('users get nothing of records and fields that they may not read, and PostgreSQL counts the others alike', async (t) => {
  const { count, faults } = await checkRights(20, 0.03)
  t.diagnostic(`${count} answers`)
  assert.deepEqual(faults, [])
})
