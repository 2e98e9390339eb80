/** An export has the records of one snapshot, while others write; `long/exports/` has more random ones. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { scenario } from '../../support/exports/a-random-project.ts'
import { checkExports } from '../../support/exports/checked-exports.ts'

test('exported ids = ids in the snapshot, with filters over links, orders and pages', async () => {
  // Three formats: a whole entity, a page in the order of a link, and a condition on links and removed records.
  const [chosen] = fc.sample(scenario, { seed: 1060, numRuns: 1 })
  assert.ok(chosen)
  assert.equal(new Set(chosen.queries.map(({ format }) => format)).size, 3)
  // More than all buffers hold: the response is read after others have written.
  await checkExports({ ...chosen, rows: 400, hasBallast: true })
})
