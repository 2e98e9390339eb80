/**
 * One standby: which reads it answers, who reads what they have written themselves, exports, what `docket doctor` says of it,
 * and a standby that is away or behind. `test/long/replicas/` has more of them, and conflicts.
 */
import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { insertPerson } from '../../support/a-person.ts'
import { afterwards, opened } from '../../support/afterwards.ts'
import { callDocket } from '../../support/call-docket.ts'
import { startAddress } from '../../support/database-address.ts'
import { exportOf, readCells } from '../../support/export-request.ts'
import { openReader } from '../../support/notifications/a-stream-reader.ts'
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
import { signedIn } from '../../support/sessions/a-browser.ts'
import { until, within } from '../../support/wait.ts'

let standby: Standby
/** Two processes: what one remembers, the other does not know. Their replica may be an hour behind. */
let service: TestService
let other: TestService
const all = opened(() => startReplicated(1))
before(async () => {
  const [one] = all.standbys
  assert.ok(one)
  standby = one
  const settings = {
    DATABASE_REPLICA_URL: standby.connectionString,
    DATABASE_REPLICA_LAG_SECONDS: '3600',
  }
  service = await all.start(settings)
  other = await all.start(settings)
  await all.addReader()
  await untilUsed(service, 1)
  await untilUsed(other, 1)
  await create(service, 'first')
  await all.untilReplayed()
})
afterEach(async () => {
  await resume(standby)
  await all.untilReplayed()
})

const asReader = (position?: string) => ({
  as: reader,
  headers: position === undefined ? {} : { 'Docket-Position': position },
})

test('every kind of read is answered by the replica', async () => {
  for (const [method, path, body] of [
    ['GET', '/item'],
    ['POST', '/item/search', { $count: true }],
    ['GET', '/item/1'],
    ['GET', '/item/1/history'],
    ['GET', '/item/1/task'],
    ['GET', '/api/search?q=first'],
    ['GET', '/api/changes'],
    ['GET', '/api/tasks'],
    ['GET', '/api/tasks/count'],
    ['GET', '/api/approvals'],
    ['GET', '/api/approvals/count'],
  ] as const) {
    const earlier = await readsOf(service)
    const { status, text } = await service.ask(method, path, { as: reader, body })
    assert.equal(status, 200, text)
    assert.deepEqual(await readsOf(service), { ...earlier, replicas: earlier.replicas + 1 }, path)
  }
})

test('who has written, or sends the position of a write, reads it; others when it is replayed', async () => {
  await pause(standby)
  const { id, position } = await create(service, 'written')
  assert.match(position, /^[0-9A-F]+\/[0-9A-F]+$/)
  assert.ok(!(await namesIn(other, asReader())).includes('written'))
  assert.ok((await namesIn(other, asReader(position))).includes('written'))
  // The process that has answered the write remembers it for its writer alone.
  assert.ok((await namesIn(service)).includes('written'))
  assert.ok(!(await namesIn(service, asReader())).includes('written'))
  const changed = await service.ask('PATCH', `/item/${id}`, { body: { name: 'and changed' } })
  assert.notEqual(changed.headers.get('docket-position'), null)
  assert.ok((await namesIn(service)).includes('and changed'))
  // The primary is asked for a record that the replica does not have yet.
  const one = await other.ask('GET', `/item/${id}`, { as: reader })
  assert.deepEqual([one.status, one.json().name], [200, 'and changed'])
  assert.equal((await other.ask('GET', `/item/${id + 1000}`, { as: reader })).status, 404)
  // Exports of the replica obey the same rule.
  const exported = async (withPosition?: string) =>
    readCells((await exportOf(other, '/item/export', asReader(withPosition))).text).flat()
  assert.ok(!(await exported()).includes('and changed'))
  const last = changed.headers.get('docket-position') ?? ''
  assert.ok((await exported(last)).includes('and changed'))
  await resume(standby)
  await all.untilReplayed()
  assert.ok((await namesIn(other, asReader())).includes('and changed'))
  assert.ok((await exported()).includes('and changed'))
})

test('what a condition of reading compares with is never that of before a change, in any process', async () => {
  const ask = async (method: string, path: string, body?: object) => {
    const reply = await service.ask(method, path, body && { body })
    assert.ok(reply.status < 300, reply.text)
    return reply
  }
  const user_id = await insertPerson(all.primary.pool, 'member', 'member')
  const as = 'member@example.com'
  const group = (await ask('POST', '/user_group', { code: 'team', name: 'Team' })).json()
  const membership = { user_id, user_group_id: group.id }
  const { id } = (await ask('POST', '/user_group_member', membership)).json()
  await ask('PATCH', `/user/${user_id}`, { job_title: 'job' })
  for (const [name, team_id] of [
    ['of the team', group.id],
    ['job', null],
  ])
    await ask('POST', '/item', { name, team_id })
  await all.untilReplayed()
  for (const each of [service, other]) {
    await untilNothingLacks(each)
    assert.deepEqual(await namesIn(each, { as }), ['of the team', 'job'])
  }
  await pause(standby)
  for (const [change, left] of [
    [() => ask('DELETE', `/user_group_member/${id}`), ['job']],
    [() => ask('PATCH', `/user/${user_id}`, { job_title: 'none' }), []],
  ] as const) {
    await change()
    assert.deepEqual(await namesIn(service, { as }), left)
    const exported = await service.ask('POST', '/item/export', { as, body: { $select: ['name'] } })
    assert.deepEqual(exported.text.trim().split('\r\n').slice(1), left)
    await until('the other process knows', async () =>
      isDeepStrictEqual(await namesIn(other, { as }), left),
    )
  }
})

test('answers to reads and refused writes have no position; one that is none is refused', async () => {
  for (const [method, path, body] of [
    ['GET', '/item', undefined],
    ['POST', '/item/search', {}],
    ['POST', '/item', { name: 1 }],
  ] as const) {
    const { headers } = await service.ask(method, path, { body })
    assert.equal(headers.get('docket-position'), null, `${method} ${path}`)
  }
  const earlier = await readsOf(service)
  await namesIn(service, asReader('FFFFFFFF/FFFFFFFE'))
  assert.deepEqual(await readsOf(service), { ...earlier, primary: earlier.primary + 1 })
  const wrong = ['', '0', '1/', '/1', 'x/1', '0/123456789', '0/1, 0/2', '-1/1', '1'.repeat(99)]
  for (const position of wrong) {
    const { status, json } = await service.ask('GET', '/item', asReader(position))
    assert.deepEqual([status, json().code], [400, 'request.invalid'], position)
    assert.equal(json().errors[0].path, 'Docket-Position')
  }
})

test('a browser carries the position of its last write in a cookie', async () => {
  const browser = await signedIn(service)
  await until('no read requires the change of a user before', async () => {
    const { replicas } = await readsOf(other)
    await namesIn(other, asReader())
    return (await readsOf(other)).replicas > replicas
  })
  await pause(standby)
  const created = await browser.send('POST', '/item', { body: { name: 'by a browser' } })
  assert.equal(created.status, 201, created.text)
  assert.match(
    browser.lastSet(),
    /^docket-position=[0-9A-F]+\/[0-9A-F]+; Path=\/; Max-Age=3601; HttpOnly; SameSite=Lax$/,
  )
  const jar = browser.cookies.get(new URL(service.url).host)
  for (const [headers, isRead] of [
    [{}, false],
    [{ Cookie: `docket-position=${jar?.get('docket-position')}` }, true],
    [{ Cookie: 'docket-position=no position' }, false],
  ] as const) {
    const names = await namesIn(other, { as: reader, headers })
    assert.equal(names.includes('by a browser'), isRead, JSON.stringify(headers))
  }
})

test('beyond the lag limit the primary answers; who is told of a change reads it', async () => {
  const near = await all.start({
    DATABASE_REPLICA_URL: standby.connectionString,
    DATABASE_REPLICA_LAG_SECONDS: '1',
  })
  afterwards(near.stop)
  await untilUsed(near, 1)
  const path = '/api/notifications/stream?watch=item'
  const stream = await openReader(near.url, await near.tokenOf(reader), { path })
  afterwards(async () => stream.close())
  await until('the stream has begun', () => stream.counts().length === 1)
  await pause(standby)
  await create(service, 'not replayed')
  await until('the change is told', () => stream.events.some(({ event }) => event === 'record'))
  assert.ok((await namesIn(near, asReader())).includes('not replayed'))
  await untilUsed(near, 0)
  const earlier = await readsOf(near)
  assert.ok((await namesIn(near, asReader())).includes('not replayed'))
  assert.deepEqual(await readsOf(near), { ...earlier, primary: earlier.primary + 1 })
  for (const [name, lag] of await metricOf(near, 'docket_replica_lag_seconds'))
    assert.ok(lag > 1, `${name}: ${lag}`)
  await resume(standby)
  await untilUsed(near, 1)
})

test('what is no standby of this database is not used; without replicas nothing says a position', async () => {
  const foreign = new URL(standby.connectionString)
  foreign.pathname = '/postgres'
  for (const [address, reason] of [
    [all.primary.connectionString, 'it is not a standby, or was promoted'],
    [foreign.href, 'it is a standby of another database'],
  ] as const) {
    const one = await all.start({ DATABASE_REPLICA_URL: address })
    afterwards(one.stop)
    assert.ok((await namesIn(one, asReader())).includes('first'))
    assert.equal((await readsOf(one)).replicas, 0)
    const told = one.observations.flatMap((each) =>
      each.kind === 'replicaAway' ? [each.reason] : [],
    )
    assert.deepEqual(told, [reason])
  }
  const alone = await all.start({})
  afterwards(alone.stop)
  const created = await alone.ask('POST', '/item', { body: { name: 'alone' } })
  assert.equal(created.headers.get('docket-position'), null)
  assert.equal((await metricOf(alone, 'docket_reads_total')).size, 0)
  const refused = await alone.ask('GET', '/item', { headers: { 'Docket-Position': 'none' } })
  assert.deepEqual([refused.status, refused.json().errors[0].path], [400, 'Docket-Position'])
  const ahead = { 'Docket-Position': 'FFFFFFFF/FFFFFFFE' }
  assert.equal((await alone.ask('GET', '/item', { headers: ahead })).status, 200)
})

/** What docket doctor finds. */
const examine = async (args: readonly string[], DATABASE_REPLICA_URL: string) => {
  const { connectionString: DATABASE_URL } = all.primary
  const environment = { DATABASE_URL, DATABASE_REPLICA_URL, PROJECT: service.config.PROJECT }
  const { out, err } = await callDocket([...args, '--json'], environment)
  assert.notEqual(out, '', err)
  const { checks }: { checks: { check: string; level: string; value: string }[] } = JSON.parse(out)
  return (name: string) => {
    const one = checks.find(({ check }) => check === name)
    return `${one?.level}, ${one?.value}`
  }
}

test('docket doctor says how far the standby is behind, and of the standby alone that it takes no changes', async () => {
  const { connectionString } = standby
  // PostgreSQL itself writes to its log now and then.
  await until('nothing is missing on the standby', async () => {
    const of = await examine(['doctor'], connectionString)
    return (
      /^ok, \S+ streaming, 0 s \(0 bytes\) behind$/.test(of('standbys')) &&
      /^ok, \S+ 0 s \(0 bytes\) behind$/.test(of('own replicas'))
    )
  })
  const away = await examine(['doctor'], 'postgres://docket:geheim@127.0.0.1:1/docket')
  assert.match(
    away('own replicas'),
    /^fail, PostgreSQL does not answer at 127\.0\.0\.1:1 .* DATABASE_REPLICA_URL\.$/,
  )
  assert.match(away('clock'), /^ok, /)
  const alone = await examine(['doctor', '--server', connectionString], connectionString)
  assert.equal(alone('accepts changes'), 'fail, no, it is a standby')
  assert.match(alone('trial'), /^unknown, /)
})

test('a replica that is frozen fails no read and no export: they run elsewhere when it is found away', async () => {
  const address = await startAddress(standby.connectionString)
  const frozen = await all.start({
    DATABASE_REPLICA_URL: address.connectionString,
    DATABASE_REPLICA_LAG_SECONDS: '3600',
  })
  afterwards(frozen.stop)
  await untilUsed(frozen, 1)
  // More than the replica has connections for one caller, so that some wait for one.
  const readAll = () =>
    Promise.all([
      ...Array.from({ length: 30 }, () => namesIn(frozen, asReader())),
      ...Array.from({ length: 2 }, async () => {
        const { status, text } = await exportOf(frozen, '/item/export', asReader())
        assert.equal(status, 200, text)
        return readCells(text).flat()
      }),
    ])
  await readAll()
  const earlier = await readsOf(frozen)
  address.stall()
  for (const names of await within('the reads end', readAll())) assert.ok(names.includes('first'))
  assert.deepEqual(await readsOf(frozen), { ...earlier, primary: earlier.primary + 30 })
  const moved = frozen.observations.filter(({ kind }) => kind === 'exportMoved')
  assert.equal(moved.length, 2)
  address.thaw()
  await untilUsed(frozen, 1)
  for (const names of await readAll()) assert.ok(names.includes('first'))
  const kinds = frozen.observations.map(({ kind }) => kind)
  assert.ok(!kinds.includes('requestRefused') && !kinds.includes('requestFailed'))
})

test('a replica that is stopped fails no request, and is used again when it is back', async () => {
  const reads = async (count: number) => {
    for (let left = count; left > 0; left--)
      assert.ok((await namesIn(service, asReader())).includes('first'))
  }
  await standby.stop()
  await reads(3)
  await untilUsed(service, 0)
  const { status, text } = await exportOf(service, '/item/export', asReader())
  assert.deepEqual([status, readCells(text).flat().includes('first')], [200, true])
  await standby.start()
  await untilUsed(service, 1)
  await reads(1)
  const kinds = service.observations.map(({ kind }) => kind)
  for (const kind of ['replicaAway', 'replicaBack'] as const) assert.ok(kinds.includes(kind), kind)
  assert.ok(!kinds.includes('requestRefused') && !kinds.includes('requestFailed'))
})
