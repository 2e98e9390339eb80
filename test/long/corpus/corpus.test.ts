/**
 * The whole hostile corpus against a service in its own process: every response has an allowed status and size, the
 * thread is never blocked, memory stays bounded, and another caller is still answered quickly.
 */
import { after, before, test } from 'node:test'
import { fillHostile } from '../../support/hostile/a-hostile-project.ts'
import { type Row, sendRow } from '../../support/hostile/a-row.ts'
import { corpus } from '../../support/hostile/corpus.ts'
import { sharedResourceRows } from '../../support/hostile/share-rows.ts'
import { assertWithinLimits, type Hostile, startHostile } from './a-hostile-service.ts'
import { heldConnections } from './held-connections.ts'

let hostile: Hostile
before(async () => {
  hostile = await startHostile({ BODY_TIMEOUT_SECONDS: '20', READER_TIMEOUT_SECONDS: '20' })
  await fillHostile(hostile.ask, hostile.pool)
})
after(() => hostile?.stop())

const attackOf = (row: Row) => ({
  ...row,
  attack: ({ ask }: Hostile) => sendRow(ask, row),
})

for (const { name, caller, attack } of [
  ...corpus.map(attackOf),
  // Last, because these leave an address that has sent too many wrong credentials.
  ...heldConnections,
  ...sharedResourceRows.map(attackOf),
])
  test(`the service stays within its limits: ${name} (${caller})`, async (t) => {
    const measured = await hostile.measure(() => attack(hostile))
    t.diagnostic(JSON.stringify(measured))
    assertWithinLimits(hostile, measured)
  })
