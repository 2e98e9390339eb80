/** The feed of changes: what it gives up is told later as possibly missed. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createChangeFeed } from '../../../src/notifications/watch/change-feed.ts'
import { createOrder, startProject } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

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

/** Every transaction of the server that runs now has ended; those of other tests may take a while. */
const untilAllHaveEnded = async () => {
  const { pool } = service.database
  const snapshot =
    'SELECT pg_snapshot_xmin(s)::text AS xmin, pg_snapshot_xmax(s)::text AS xmax FROM pg_current_snapshot() s'
  const {
    rows: [now],
  } = await pool.query(snapshot)
  await until('all transactions have ended', async () => {
    const {
      rows: [later],
    } = await pool.query(snapshot)
    return BigInt(later.xmin) >= BigInt(now.xmax)
  })
}

test('ids of transactions that were rolled back, as dry runs are, are not missed', async () => {
  const { pool } = service.database
  let now = 0
  const feed = createChangeFeed(pool, undefined, () => now)
  await feed.start()
  for (let round = 0; round < 3; round += 1) {
    await pool.query(
      `SELECT setval(pg_get_serial_sequence('docket.history', 'id'), max(id) + 6000) FROM docket.history`,
    )
    await createOrder(service)
    assert.equal((await feed.next()).isLossy, false)
    await untilAllHaveEnded()
    assert.equal((await feed.next()).isLossy, false)
  }
  now = 600_000
  assert.equal((await feed.next()).isLossy, false)
})

test('a change whose transaction ends late is told then', async () => {
  const { pool } = service.database
  const feed = createChangeFeed(pool, undefined)
  await feed.start()
  const late = await pool.connect()
  await late.query('BEGIN')
  await late.query(
    `INSERT INTO docket.history (entity_key, entity_id, operation, changes) VALUES ('order', 700700, 'update', '{}')`,
  )
  await createOrder(service)
  for (let time = 0; time < 3; time += 1)
    assert.ok((await feed.next()).changes.every(({ recordId }) => recordId !== 700_700))
  await late.query('COMMIT')
  late.release()
  const { changes } = await feed.next()
  assert.deepEqual(
    changes.map(({ recordId }) => recordId),
    [700_700],
  )
})
