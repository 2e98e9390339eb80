/**
 * No path shows what a role may not read, for random catalogues, conditions of reading and rows; `service/doors/` has a sample.
 * `RIGHTS_SEED=<seed>` repeats one of them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkRights } from '../../support/rights/checked-rights.ts'

const { RIGHTS_SEED } = process.env
const first = Number(RIGHTS_SEED ?? Date.now() % 1_000_000_000)
const seeds = RIGHTS_SEED === undefined ? 12 : 1

for (let seed = first; seed < first + seeds; seed++)
  test(`users get nothing that they may not read (RIGHTS_SEED=${seed})`, async (t) => {
    const { count, faults } = await checkRights(seed, 0.5)
    t.diagnostic(`${count} answers`)
    assert.deepEqual(faults, [])
  })
