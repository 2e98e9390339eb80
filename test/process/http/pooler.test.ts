/**
 * A service whose requests share sessions of PostgreSQL through a pooler in transaction mode: PgBouncer where it is
 * installed, else a small one of our own.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createPool } from '../../../src/database/pool.ts'
import { addressesOf } from '../../../src/runtime/open-pools.ts'
import { createOrder, nextNumber, projectFiles } from '../../support/a-project.ts'
import { afterwards } from '../../support/afterwards.ts'
import { exportOf } from '../../support/export-request.ts'
import { type Pooler, startPooler } from '../../support/pgbouncer.ts'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { startTestWorker } from '../../support/worker.ts'

let pooler: Pooler
let service: TestService
before(async () => {
  const database = await createPreparedDatabase()
  pooler = await startPooler(database.connectionString)
  const environment = {
    DATABASE_URL: pooler.connectionString,
    DATABASE_DIRECT_URL: database.connectionString,
  }
  service = await startTestService(projectFiles, environment, database)
})
after(() => service.stop())

/** What the sessions behind the pooler have that another client of it would get. */
const leftBehind = async () => {
  const stranger = new pg.Client({ connectionString: pooler.connectionString })
  await stranger.connect()
  const { rows } = await stranger.query(
    `SELECT name FROM pg_settings WHERE name LIKE '%timeout' AND source = 'session'
     UNION ALL SELECT name FROM pg_prepared_statements
     UNION ALL SELECT locktype FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`,
  )
  await stranger.end()
  return rows
}

test('many requests at once share few sessions, and leave nothing in them', async () => {
  const { id } = await createOrder(service)
  const work = Array.from({ length: 40 }, (_, count) =>
    count % 2 === 0
      ? service.ask('GET', `/order/${id}`)
      : service.ask('POST', '/order', { body: { number: nextNumber() } }),
  )
  for (const { status, text } of await Promise.all(work)) assert.ok(status < 300, text)
  const found = await service.ask('POST', '/order/search', { body: { $count: true } })
  assert.equal(found.json().total, 21)
  for (let session = 0; session < 4; session++) assert.deepEqual(await leftBehind(), [])
})

test('a statement that fails leaves no open transaction', async () => {
  const body = { number: nextNumber() }
  assert.equal((await service.ask('POST', '/order', { body })).status, 201)
  for (let count = 0; count < 6; count++)
    assert.equal((await service.ask('POST', '/order', { body })).status, 409)
  assert.equal((await service.ask('GET', '/order')).status, 200)
})

test('each statement has the time limit and the time zone of its pool', async () => {
  const { shared } = addressesOf(service.runtime)
  const work = { kind: 'requests', timeoutSeconds: 1 } as const
  const pool = createPool({ ...shared, size: 1, work, observe: () => undefined })
  afterwards(() => pool.end())
  await assert.rejects(pool.query('SELECT pg_sleep(60)'), /statement timeout/)
  assert.equal((await pool.query('SHOW timezone')).rows[0].TimeZone, 'UTC')
})

test('an export is whole, and jobs run', async () => {
  const { status, trailers } = await exportOf(service, '/order/export?manifest=true')
  assert.equal(status, 200)
  assert.equal(trailers['x-row-count'], '22')
  const worker = await startTestWorker(service)
  await createOrder(service)
  await worker.settled()
  await worker.stop()
})

test('a pooler that is away is a 503, and the service is not ready', async () => {
  await pooler.stop()
  const { status, headers } = await service.ask('POST', '/order', {
    body: { number: nextNumber() },
  })
  assert.deepEqual([status, headers.get('retry-after')], [503, '2'])
  const ready = await service.ask('GET', '/api/health/ready', { as: null })
  assert.deepEqual([ready.status, ready.json().status], [503, 'database unavailable'])
})
