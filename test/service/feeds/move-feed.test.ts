/** `docket move-feed` to two servers and back. `test/long/feeds/` has a third server, kills, and what the API shows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPool, type Pool } from '../../../src/database/pool.ts'
import { createWorker } from '../../../src/runtime/create-worker.ts'
import { afterwards } from '../../support/afterwards.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { addPeople, feedUrl, noJobs, toAll, usersIn } from '../../support/feeds/two-feeds.ts'
import { engineFiles } from '../../support/notifications/an-engine-project.ts'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import { startTestService, writeProject } from '../../support/service.ts'

/** The users of its e-mails, and those with a counter. */
const restIn = async (pool: Pool) => {
  const { rows } = await pool.query<{ user_id: number }>(
    `SELECT user_id FROM docket.delivery UNION ALL
     SELECT user_id FROM docket.notification_count ORDER BY user_id`,
  )
  return rows.map(({ user_id: id }) => id)
}

test('all rows of a user are moved to one of two servers, and back, while no process uses the database', async () => {
  const [a, b] = [await createTestDatabase(), await createTestDatabase()]
  const { connectionString } = await createPreparedDatabase()
  // Its connections take no part in the lock that keeps others out of a move.
  const work = { kind: 'restore' } as const
  const pool = createPool({ connectionString, size: 3, work, observe: () => undefined })
  afterwards(() => pool.end())
  const project = await writeProject(engineFiles([toAll]))
  const move = (more: Record<string, string>) =>
    callDocket(['move-feed'], { PROJECT: project, DATABASE_URL: connectionString, ...more })
  const servers = feedUrl({ a: a.connectionString, b: b.connectionString })

  const kept = { connectionString, pool, drop: async () => undefined }
  const service = await startTestService(await writeProject(engineFiles([toAll])), {}, kept)
  const people = await addPeople(service, 8)
  const worker = await createWorker(service.runtime, { watch: false })
  assert.equal((await service.ask('POST', '/request', { body: { number: 'R-1' } })).status, 201)
  await noJobs(pool)
  await worker.stop()
  assert.match((await move({ FEED_DATABASE_URL: servers })).err, /uses the database/)
  await service.stop()

  const ids = people.map(({ id }) => id)
  const moved = await move({ FEED_DATABASE_URL: servers })
  assert.match(
    moved.err,
    /^Moved 8 notifications and 8 deliveries of 8 users\. Notifications are in a, b now\.$/m,
  )
  const whole = [
    { on: pool, users: [] },
    { on: a.pool, users: people.filter(({ feed }) => feed === 'a').map(({ id }) => id) },
    { on: b.pool, users: people.filter(({ feed }) => feed === 'b').map(({ id }) => id) },
  ]
  const assertOn = async (on: Pool, users: readonly number[]) => {
    assert.deepEqual(await usersIn(on), users)
    assert.deepEqual(
      await restIn(on),
      users.flatMap((id) => [id, id]),
    )
  }
  for (const { on, users } of whole) await assertOn(on, users)

  // As if all rows had been written on the servers.
  const sequences = ['mailing', 'delivery'].map(
    (name) => `pg_get_serial_sequence('docket.${name}', 'id')`,
  )
  for (const one of sequences) await pool.query(`SELECT setval(${one}, 1, false)`)
  assert.match((await move({})).err, /name these servers in FEED_DATABASE_FORMER_URL/)
  const back = await move({ FEED_DATABASE_FORMER_URL: servers })
  assert.match(back.err, /database of the records/)
  for (const { on } of whole) await assertOn(on, on === pool ? ids : [])
  const next = await pool.query(`SELECT nextval(${sequences[0]}) > max(m.id) AS mailing,
      nextval(${sequences[1]}) > max(d.id) AS delivery
    FROM docket.mailing m, docket.delivery d`)
  assert.deepEqual(next.rows, [{ mailing: true, delivery: true }])
})
