/** Reads of replicas: which they answer, and that nobody misses what they have written themselves. */
import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import { afterwards } from '../../support/afterwards.ts'
import { openReader } from '../../support/notifications/a-stream-reader.ts'
import {
  create,
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
import { signedIn } from '../../support/sessions/a-browser.ts'
import { startTransactionPooler } from '../../support/transaction-pooler.ts'
import { until } from '../../support/wait.ts'

let all: Replicated
/** Two processes: what one remembers, the other does not know. Their replicas may be an hour behind. */
let service: TestService
let other: TestService
before(async () => {
  all = await startReplicated(2)
  const addresses = {
    DATABASE_REPLICA_URL: all.standbys.map((one) => one.connectionString).join(' '),
    DATABASE_REPLICA_LAG_SECONDS: '3600',
  }
  service = await all.start(addresses)
  other = await all.start(addresses)
  await all.addReader()
  await untilUsed(service, 2)
  await untilUsed(other, 2)
  await all.untilReplayed()
})
afterEach(async () => {
  await Promise.all(all.standbys.map(resume))
  await all.untilReplayed()
})

const pauseAll = () => Promise.all(all.standbys.map(pause))

const reads: readonly (readonly [method: string, path: string, body?: object])[] = [
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
]
for (const [method, path, body] of reads)
  test(`${method} ${path} is answered by a replica`, async () => {
    if ((await namesIn(service)).length === 0) await create(service, 'first')
    await all.untilReplayed()
    const earlier = await readsOf(service)
    const { status, text } = await service.ask(method, path, { as: reader, body })
    assert.equal(status, 200, text)
    const later = await readsOf(service)
    assert.deepEqual(later, { primary: earlier.primary, replicas: earlier.replicas + 1 })
  })

test('whoever sends the position of a write reads it in every process, and others do when it is replayed', async () => {
  await pauseAll()
  const { position } = await create(service, 'with a position')
  assert.match(position, /^[0-9A-F]+\/[0-9A-F]+$/)
  const withPosition = { as: reader, headers: { 'Docket-Position': position } }
  assert.ok(!(await namesIn(other, { as: reader })).includes('with a position'))
  assert.ok((await namesIn(other, withPosition)).includes('with a position'))
  await Promise.all(all.standbys.map(resume))
  await all.untilReplayed()
  // A process whose last measurement is old asks the primary.
  await untilNothingLacks(other)
  const earlier = await readsOf(other)
  assert.ok((await namesIn(other, withPosition)).includes('with a position'))
  assert.deepEqual(await readsOf(other), { ...earlier, replicas: earlier.replicas + 1 })
})

test('a replica that lacks the write is not asked while another has it', async () => {
  const [first] = all.standbys
  assert.ok(first)
  await pause(first)
  const { position } = await create(service, 'on one replica')
  for (let count = 0; count < 10; count++) {
    const headers = { 'Docket-Position': position }
    assert.ok((await namesIn(other, { as: reader, headers })).includes('on one replica'))
  }
})

test('the process that has answered a write remembers it for callers that send no position', async () => {
  await pauseAll()
  const { id } = await create(service, 'remembered')
  assert.ok((await namesIn(service)).includes('remembered'))
  const changed = await service.ask('PATCH', `/item/${id}`, { body: { name: 'and changed' } })
  assert.equal(changed.status, 200, changed.text)
  assert.notEqual(changed.headers.get('docket-position'), null)
  assert.ok((await namesIn(service)).includes('and changed'))
  assert.ok(!(await namesIn(service, { as: reader })).includes('and changed'))
})

test('a record that a replica does not have yet is read from the primary', async () => {
  await pauseAll()
  const { id } = await create(service, 'new')
  const { status, json } = await other.ask('GET', `/item/${id}`, { as: reader })
  assert.deepEqual([status, json().name], [200, 'new'])
  const removed = await other.ask('GET', `/item/${id + 1000}`, { as: reader })
  assert.equal(removed.status, 404)
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
  const { status, json, text } = await service.ask('GET', '/api/search?q=conflicting', {
    as: reader,
  })
  await run(`
    BEGIN;
    DROP VIEW records.item;
    ALTER TABLE records.all_items RENAME TO item;
    COMMIT`)
  assert.equal(status, 200, text)
  const { data, incomplete } = json()
  assert.deepEqual(incomplete, [])
  assert.deepEqual(
    data.map(({ display }: { display: string }) => display),
    ['conflicting'],
  )
  assert.deepEqual(await readsOf(service), { ...earlier, primary: earlier.primary + 1 })
})

test('a browser carries the position of its last write in a cookie', async () => {
  const browser = await signedIn(service)
  await pauseAll()
  const created = await browser.send('POST', '/item', { body: { name: 'by a browser' } })
  assert.equal(created.status, 201, created.text)
  assert.match(
    browser.lastSet(),
    /^docket-position=[0-9A-F]+\/[0-9A-F]+; Path=\/; Max-Age=3601; HttpOnly; SameSite=Lax$/,
  )
  const jar = browser.cookies.get(new URL(service.url).host)
  const cookie = `docket-position=${jar?.get('docket-position')}`
  for (const [headers, isRead] of [
    [{}, false],
    [{ Cookie: cookie }, true],
    [{ Cookie: 'docket-position=no position' }, false],
  ] as const) {
    const names = await namesIn(other, { as: reader, headers })
    assert.equal(names.includes('by a browser'), isRead, JSON.stringify(headers))
  }
})

test('answers to reads and to refused writes have no position', async () => {
  for (const [method, path, body] of [
    ['GET', '/item', undefined],
    ['POST', '/item/search', {}],
    ['POST', '/item', { name: 1 }],
  ] as const) {
    const { headers } = await service.ask(method, path, { body })
    assert.equal(headers.get('docket-position'), null, `${method} ${path}`)
  }
})

test('a position that the log has not reached is read from the primary, and any other text is refused', async () => {
  const earlier = await readsOf(service)
  for (const position of ['FFFFFFFF/FFFFFFFF', 'FFFFFFFF/FFFFFFFE']) {
    const headers = { 'Docket-Position': position }
    await namesIn(service, { as: reader, headers })
  }
  assert.deepEqual(await readsOf(service), { ...earlier, primary: earlier.primary + 2 })
  const wrong = ['', '0', '1/', '/1', 'x/1', '0/123456789', '0/1, 0/2', '-1/1', '1'.repeat(99)]
  for (const position of wrong) {
    const headers = { 'Docket-Position': position }
    const { status, json } = await service.ask('GET', '/item', { headers })
    assert.deepEqual([status, json().code], [400, 'request.invalid'], position)
    assert.equal(json().errors[0].path, 'Docket-Position')
  }
})

test('who is told of a change reads it', async () => {
  const watching = await all.start({
    DATABASE_REPLICA_URL: all.standbys.map((one) => one.connectionString).join(' '),
    DATABASE_REPLICA_LAG_SECONDS: '4',
  })
  await untilUsed(watching, 2)
  const path = '/api/notifications/stream?watch=item'
  const stream = await openReader(watching.url, await watching.tokenOf(reader), { path })
  afterwards(async () => stream.close())
  await until('the stream has begun', () => stream.counts().length === 1)
  await pauseAll()
  await create(service, 'watched')
  await until('the change is told', () => stream.events.some(({ event }) => event === 'record'))
  assert.ok((await namesIn(watching, { as: reader })).includes('watched'))
})

test('behind poolers a replica is asked for what it has replayed, each time', async () => {
  const [standby] = all.standbys
  assert.ok(standby)
  const startPooler = async (url: string) => {
    const pooler = await startTransactionPooler(url)
    afterwards(pooler.close)
    return pooler.connectionString
  }
  const pooled = await all.start({
    DATABASE_URL: await startPooler(all.primary.connectionString),
    DATABASE_DIRECT_URL: all.primary.connectionString,
    DATABASE_REPLICA_URL: await startPooler(standby.connectionString),
    DATABASE_REPLICA_LAG_SECONDS: '3600',
  })
  await untilUsed(pooled, 1)
  await namesIn(pooled, { as: reader })
  assert.equal((await readsOf(pooled)).replicas, 1)
  await pause(standby)
  const { position } = await create(service, 'behind a pooler')
  assert.ok(!(await namesIn(pooled, { as: reader })).includes('behind a pooler'))
  const headers = { 'Docket-Position': position }
  assert.ok((await namesIn(pooled, { as: reader, headers })).includes('behind a pooler'))
  const search = { $search: 'behind a pooler', $select: ['name'] }
  const found = await pooled.ask('POST', '/item/search', { as: reader, headers, body: search })
  assert.deepEqual(found.json().data, [{ name: 'behind a pooler' }], found.text)
  await pooled.stop()
})
