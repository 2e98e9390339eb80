/** Replicas that are away or too far behind are not used, no request notices it, and they come back by themselves. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { afterwards } from '../../support/afterwards.ts'
import {
  create,
  metricOf,
  namesIn,
  pause,
  type Replicated,
  reader,
  readsOf,
  resume,
  startReplicated,
  untilNothingLacks,
  untilUsed,
} from '../../support/replicas/a-replicated-project.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

let all: Replicated
let service: TestService
before(async () => {
  all = await startReplicated(2)
  service = await all.start({
    DATABASE_REPLICA_URL: all.standbys.map((one) => one.connectionString).join(' '),
    DATABASE_REPLICA_LAG_SECONDS: '1',
  })
  await all.addReader()
  await untilUsed(service, 2)
})

test('beyond the lag limit the primary answers, and within it the replicas do again', async () => {
  await Promise.all(all.standbys.map(pause))
  await create(service, 'not replayed')
  await untilUsed(service, 0)
  const earlier = await readsOf(service)
  assert.ok((await namesIn(service, { as: reader })).includes('not replayed'))
  assert.deepEqual(await readsOf(service), { ...earlier, primary: earlier.primary + 1 })
  const lags = await metricOf(service, 'docket_replica_lag_seconds')
  assert.equal(lags.size, 2)
  for (const [name, lag] of lags) assert.ok(lag > 1, `${name}: ${lag}`)
  await Promise.all(all.standbys.map(resume))
  await untilUsed(service, 2)
  await all.untilReplayed()
  await untilNothingLacks(service)
})

test('a replica that is stopped in the middle fails no request, and is used again when it is back', async () => {
  await create(service, 'lasting')
  await all.untilReplayed()
  await untilUsed(service, 2)
  let isOver = false
  let count = 0
  const readOn = async () => {
    while (!isOver) {
      // Both replicas answer: which one depends on the caller.
      const names = await namesIn(service, count++ % 2 === 0 ? {} : { as: reader })
      assert.ok(names.includes('lasting'))
    }
  }
  const reading = Promise.all(Array.from({ length: 4 }, readOn))
  for (const standby of all.standbys) {
    await standby.stop()
    await untilUsed(service, 1)
    const before = count
    await until('reads go on', () => count > before + 10)
    await standby.start()
    await untilUsed(service, 2)
  }
  isOver = true
  await reading
  const kinds = service.observations.map(({ kind }) => kind)
  for (const kind of ['replicaAway', 'replicaBack'] as const)
    assert.ok(kinds.filter((one) => one === kind).length >= 2, kind)
  assert.ok(!kinds.includes('requestRefused') && !kinds.includes('requestFailed'))
})

test('what is no standby of this database is not used, and the log says why', async () => {
  const [standby] = all.standbys
  assert.ok(standby)
  const foreign = new URL(standby.connectionString)
  foreign.pathname = '/postgres'
  for (const [address, reason] of [
    [all.primary.connectionString, 'it is not a standby, or was promoted'],
    [foreign.href, 'it is a standby of another database'],
  ] as const) {
    const one = await all.start({ DATABASE_REPLICA_URL: address })
    afterwards(one.stop)
    assert.ok((await namesIn(one, { as: reader })).includes('lasting'))
    assert.equal((await readsOf(one)).replicas, 0)
    const told = one.observations.flatMap((each) =>
      each.kind === 'replicaAway' ? [each.reason] : [],
    )
    assert.deepEqual(told, [reason])
    await one.stop()
  }
})

test('without replicas, nothing says a position, and what is none is refused all the same', async () => {
  const one = await all.start({})
  const askAt = async (position: string) => {
    const headers = { 'Docket-Position': position }
    const { status, json } = await one.ask('GET', '/item', { headers })
    return status === 200 ? status : [status, json().errors[0].path]
  }
  assert.deepEqual(await askAt('no position'), [400, 'Docket-Position'])
  assert.equal(await askAt('FFFFFFFF/FFFFFFFE'), 200)
  const created = await one.ask('POST', '/item', { body: { name: 'alone' } })
  assert.equal(created.headers.get('docket-position'), null)
  assert.equal((await metricOf(one, 'docket_reads_total')).size, 0)
  await one.stop()
})
