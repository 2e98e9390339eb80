/** The counters of notifications are exact after many random steps; the tests of every day take a few of them. */
import { test } from 'node:test'
import { createStoreDatabase } from '../../service/notifications/a-store-database.ts'
import { afterRollOut } from '../../support/notifications/an-inbox.ts'
import { assertExactCounters } from '../../support/notifications/counter-steps.ts'

test('counters equal a recount after any concurrent steps', async () => {
  const { pool, drop } = await createStoreDatabase()
  await afterRollOut(pool)
  await assertExactCounters(pool, 100)
  await drop()
})
