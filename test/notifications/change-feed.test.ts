/** The feed of changes: what it gives up is told later as possibly missed. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createChangeFeed } from '../../src/notifications/watch/change-feed.ts'
import { createOrder, startProject } from '../support/a-project.ts'
import type { TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await startProject()
})
after(() => service.stop())

/** A change after more ids than the feed waits for. */
const changeFarAhead = async () => {
  await service.database.pool.query(
    `SELECT setval(pg_get_serial_sequence('docket.history', 'id'), max(id) + 20000) FROM docket.history`,
  )
  await createOrder(service)
}

test('too many missing ids are told as missed when their transactions have ended, each time', async () => {
  const minute = 60_000
  let now = 0
  const feed = createChangeFeed(service.database.pool, undefined, () => now)
  const isLossyAt = async (time: number) => {
    now = time
    return (await feed.next()).isLossy
  }
  await createOrder(service)
  await feed.start()
  await changeFarAhead()
  assert.equal(await isLossyAt(0), false)
  await changeFarAhead()
  assert.equal(await isLossyAt(4 * minute), false)
  assert.equal(await isLossyAt(5 * minute), true)
  assert.equal(await isLossyAt(8 * minute), false)
  assert.equal(await isLossyAt(9 * minute), true)
  assert.equal(await isLossyAt(20 * minute), false)
})
