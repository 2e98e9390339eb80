/**
 * Two standbys: which of them answers, what happens when one is away, poolers before them, and conflicts. `process/replicas/`
 * has what one standby shows.
 */
import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import { afterwards, opened } from '../../support/afterwards.ts'
import { callDocket } from '../../support/call-docket.ts'
import {
  create,
  metricOf,
  namesIn,
  pause,
  reader,
  readsOf,
  resume,
  type Standby,
  startReplicated,
  untilNothingLacks,
  untilUsed,
} from '../../support/replicas/a-replicated-project.ts'
import type { TestService } from '../../support/service.ts'
import { startTransactionPooler } from '../../support/transaction-pooler.ts'
import { until } from '../../support/wait.ts'

let first: Standby
/** Two processes: what one remembers, the other does not know. Their replicas may be an hour behind. */
let service: TestService
let other: TestService
const settingsWith = (lagSeconds: string) => ({
  DATABASE_REPLICA_URL: all.standbys.map((one) => one.connectionString).join(' '),
  DATABASE_REPLICA_LAG_SECONDS: lagSeconds,
})
const all = opened(() => startReplicated(2))
before(async () => {
  const [one] = all.standbys
  assert.ok(one)
  first = one
  service = await all.start(settingsWith('3600'))
  other = await all.start(settingsWith('3600'))
  await all.addReader()
  for (const each of [service, other]) await untilUsed(each, 2)
  await all.untilReplayed()
})
afterEach(async () => {
  await Promise.all(all.standbys.map(resume))
  await all.untilReplayed()
})

const at = (position: string) => ({ as: reader, headers: { 'Docket-Position': position } })

test('a position that is replayed is read from a replica, and one that a replica lacks from the other', async () => {
  const replayed = await create(service, 'replayed')
  await all.untilReplayed()
  // A process whose last measurement is old asks the primary.
  await untilNothingLacks(other)
  const earlier = await readsOf(other)
  assert.ok((await namesIn(other, at(replayed.position))).includes('replayed'))
  assert.deepEqual(await readsOf(other), { ...earlier, replicas: earlier.replicas + 1 })
  await pause(first)
  const { position } = await create(service, 'on one replica')
  for (let count = 0; count < 10; count++)
    assert.ok((await namesIn(other, at(position))).includes('on one replica'))
})

test('a search over entities that a conflict cancels on every replica is answered by the primary', async () => {
  await create(service, 'conflicting')
  await all.untilReplayed()
  const run = (text: string) => all.primary.pool.query(text)
  // As PostgreSQL says it while a replica replays what a read still needs; which moment that is, no test can choose.
  await run(`
    CREATE FUNCTION may_be_read() RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = '40001';
      END IF;
      RETURN true;
    END $$`)
  await run(`
    BEGIN;
    ALTER TABLE records.item RENAME TO all_items;
    CREATE VIEW records.item AS SELECT * FROM records.all_items WHERE may_be_read();
    COMMIT`)
  await all.untilReplayed()
  const earlier = await readsOf(service)
  const found = await service.ask('GET', '/api/search?q=conflicting', { as: reader })
  await run(`
    BEGIN;
    DROP VIEW records.item;
    ALTER TABLE records.all_items RENAME TO item;
    COMMIT`)
  assert.equal(found.status, 200, found.text)
  const { data, incomplete } = found.json()
  assert.deepEqual(incomplete, [])
  assert.deepEqual(
    data.map(({ display }: { display: string }) => display),
    ['conflicting'],
  )
  assert.deepEqual(await readsOf(service), { ...earlier, primary: earlier.primary + 1 })
})

test('behind poolers a replica is asked for what it has replayed, each time', async () => {
  const startPooler = async (url: string) => {
    const pooler = await startTransactionPooler(url)
    afterwards(pooler.close)
    return pooler.connectionString
  }
  const pooled = await all.start({
    DATABASE_URL: await startPooler(all.primary.connectionString),
    DATABASE_DIRECT_URL: all.primary.connectionString,
    DATABASE_REPLICA_URL: await startPooler(first.connectionString),
    DATABASE_REPLICA_LAG_SECONDS: '3600',
  })
  await untilUsed(pooled, 1)
  await namesIn(pooled, { as: reader })
  assert.equal((await readsOf(pooled)).replicas, 1)
  await pause(first)
  const { position } = await create(service, 'behind a pooler')
  assert.ok(!(await namesIn(pooled, { as: reader })).includes('behind a pooler'))
  assert.ok((await namesIn(pooled, at(position))).includes('behind a pooler'))
  const body = { $search: 'behind a pooler', $select: ['name'] }
  const found = await pooled.ask('POST', '/item/search', { ...at(position), body })
  assert.deepEqual(found.json().data, [{ name: 'behind a pooler' }], found.text)
  await pooled.stop()
})

test('a standby whose recovery is paused says to the doctor how much it lacks', async () => {
  await pause(first)
  await all.primary.pool.query('CREATE TABLE grown AS SELECT generate_series(1, 100000) AS id')
  const behind = 'SELECT WHERE pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn()'
  await until(
    'the standby has received it',
    async () => (await first.pool.query(behind)).rowCount === 1,
  )
  const { out } = await callDocket(['doctor', '--json'], {
    DATABASE_URL: all.primary.connectionString,
    DATABASE_REPLICA_URL: first.connectionString,
  })
  const checks: { check: string; value: string }[] = JSON.parse(out).checks
  const own = checks.find(({ check }) => check === 'own replicas')
  assert.match(own?.value ?? '', /\([\d.]+ MiB\) behind$/)
})

test('beyond the lag limit the primary answers, and no request fails while one replica after the other is stopped', async () => {
  const near = await all.start(settingsWith('1'))
  await untilUsed(near, 2)
  await Promise.all(all.standbys.map(pause))
  await create(near, 'lasting')
  await untilUsed(near, 0)
  const lags = await metricOf(near, 'docket_replica_lag_seconds')
  assert.equal(lags.size, 2)
  for (const [name, lag] of lags) assert.ok(lag > 1, `${name}: ${lag}`)
  await Promise.all(all.standbys.map(resume))
  await untilUsed(near, 2)
  await all.untilReplayed()

  let isOver = false
  let count = 0
  const readOn = async () => {
    while (!isOver) {
      // Both replicas answer: which one depends on the caller.
      const names = await namesIn(near, count++ % 2 === 0 ? {} : { as: reader })
      assert.ok(names.includes('lasting'))
    }
  }
  const reading = Promise.all(Array.from({ length: 4 }, readOn))
  for (const standby of all.standbys) {
    await standby.stop()
    await untilUsed(near, 1)
    const before = count
    await until('reads go on', () => count > before + 10)
    await standby.start()
    await untilUsed(near, 2)
  }
  isOver = true
  await reading
  const kinds = near.observations.map(({ kind }) => kind)
  for (const kind of ['replicaAway', 'replicaBack'] as const)
    assert.ok(kinds.filter((one) => one === kind).length >= 2, kind)
  assert.ok(!kinds.includes('requestRefused') && !kinds.includes('requestFailed'))
  await near.stop()
})
