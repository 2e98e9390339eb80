/** A worker that is killed after one server of notifications has stored its part, and before another one has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from '../../support/database.ts'
import { spawnDocket, waitFor } from '../../support/docket.ts'
import { addPeople, feedUrl, noJobs, toAll, usersIn } from '../../support/feeds/two-feeds.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { engineFiles } from '../../support/notifications/an-engine-project.ts'
import { startTestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

test('everybody is notified once, and counted once, however often the job runs', async () => {
  const [a, b] = [await createTestDatabase(), await createTestDatabase()]
  const setting = feedUrl({ a: a.connectionString, b: b.connectionString })
  const directory = await writeProject(engineFiles([toAll]))
  const service = await startTestService(directory, { FEED_DATABASE_URL: setting })
  const people = await addPeople(service, 20)
  const environment = {
    PROJECT: directory,
    DATABASE_URL: service.database.connectionString,
    FEED_DATABASE_URL: setting,
  }
  const startWorker = async () => {
    const worker = spawnDocket(['worker'], environment)
    await waitFor(worker, /Jobs of/)
    return worker
  }
  const first = await startWorker()
  const idsOn = (feed: string) => people.filter((one) => one.feed === feed).map(({ id }) => id)

  // The server b waits for a lock, until the worker is gone.
  const holder = await b.pool.connect()
  await holder.query('BEGIN; LOCK TABLE docket.notification_count')
  const created = await service.ask('POST', '/request', { body: { number: 'R-1' } })
  assert.equal(created.status, 201, created.text)
  await until('a has its part', async () => (await usersIn(a.pool)).length === idsOn('a').length)
  await untilWaitingForLock(b.pool)
  first.kill('SIGKILL')
  await until('it is gone', () => first.signalCode !== null)
  await holder.query('ROLLBACK')
  holder.release()

  const second = await startWorker()
  await until('b has its part', async () => (await usersIn(b.pool)).length === idsOn('b').length)
  await noJobs(service.database.pool)
  for (const [name, { pool }] of Object.entries({ a, b })) {
    assert.deepEqual(await usersIn(pool), idsOn(name))
    const { rows } = await pool.query<{ user_id: number; total: number; unseen: number }>(
      'SELECT user_id, total, unseen FROM docket.notification_count ORDER BY user_id',
    )
    assert.deepEqual(
      rows,
      idsOn(name).map((id) => ({ user_id: id, total: 1, unseen: 1 })),
    )
    const deliveries = await pool.query<{ user_id: number }>(
      'SELECT user_id FROM docket.delivery ORDER BY user_id',
    )
    const users = deliveries.rows.map((row) => row.user_id)
    assert.deepEqual(users, idsOn(name))
  }
  await until('all e-mails are sent', async () => {
    const reply = await service.ask('GET', '/api/deliveries/count')
    return reply.json().email.sent === people.length
  })
  second.kill('SIGTERM')
  await until('it ends', () => second.exitCode !== null)
  await service.stop()
  await Promise.all([a.drop(), b.drop()])
})
