/** `docket move-feed`: from the database of the records to servers, to one more, and back; nothing is lost, and nothing is there twice. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { homeOf } from '../../../src/database/feeds/rendezvous.ts'
import { createPool } from '../../../src/database/pool.ts'
import { storeBatches } from '../../../src/notifications/jobs/notify-users.ts'
import { createWorker } from '../../../src/runtime/create-worker.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { runDocket, spawnDocket } from '../../support/docket.ts'
import {
  addPeople,
  feedUrl,
  noJobs,
  type Person,
  toAll,
  usersIn,
} from '../../support/feeds/two-feeds.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { engineFiles } from '../../support/notifications/an-engine-project.ts'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

let records: TestDatabase
let servers: Readonly<Record<'a' | 'b' | 'c', TestDatabase>>
let directory: string
let people: readonly Person[]
/** What each user and the administrator read before the first move. */
let expected: unknown

const urlOf = (...names: readonly ('a' | 'b' | 'c')[]) =>
  feedUrl(Object.fromEntries(names.map((name) => [name, servers[name].connectionString])))

const environment = (more: Record<string, string>) => ({
  PROJECT: directory,
  DATABASE_URL: records.connectionString,
  ...more,
})

const move = (more: Record<string, string>) => callDocket(['move-feed'], environment(more))

/** Moves, and asserts what the command says. */
const assertMoved = async (more: Record<string, string>, sentence: RegExp) => {
  const { code, err } = await move(more)
  assert.equal(code, 0, err)
  assert.match(err, sentence)
}

/** A service on the databases, which stay when it stops; `work` may use its worker. */
const onService = async <T>(
  more: Record<string, string>,
  work: (service: TestService) => Promise<T>,
): Promise<T> => {
  const project = await writeProject(engineFiles([toAll]))
  const kept = { ...records, drop: async () => undefined }
  const service = await startTestService(project, more, kept)
  const worker = await createWorker(service.runtime, { watch: false })
  try {
    return await work(service)
  } finally {
    await worker.stop()
    await service.stop()
  }
}

/** Everything that the API shows of the feed. */
const readAll = async (service: TestService) => {
  const ask = async (path: string, as?: string) => {
    const reply = await service.ask('GET', path, as ? { as } : {})
    assert.equal(reply.status, 200, reply.text)
    return reply.json()
  }
  const inboxes: unknown[] = []
  for (const { mail } of people)
    inboxes.push([
      await ask('/api/notifications?limit=100', mail),
      await ask('/api/notifications/count?status=unseen', mail),
    ])
  const { data } = await ask('/api/deliveries?limit=1000')
  const byId = data.toSorted((one: { id: number }, other: { id: number }) => one.id - other.id)
  return { inboxes, deliveries: byId, counts: await ask('/api/deliveries/count') }
}

const create = async (service: TestService, number: string) => {
  const reply = await service.ask('POST', '/request', { body: { number } })
  assert.equal(reply.status, 201, reply.text)
  await noJobs(records.pool)
}

const allSent = (service: TestService, count: number) =>
  until('all e-mails are sent', async () => {
    const reply = await service.ask('GET', '/api/deliveries/count')
    return reply.json().email.sent === count
  })

before(async () => {
  const prepared = await createPreparedDatabase()
  const { connectionString } = prepared
  // Its connections take no part in the lock that keeps others out of a move.
  const work = { kind: 'restore' } as const
  const pool = createPool({ connectionString, size: 5, work, observe: () => undefined })
  records = {
    ...{ connectionString, pool },
    drop: async () => {
      await pool.end()
      await prepared.drop()
    },
  }
  servers = {
    ...{ a: await createTestDatabase(), b: await createTestDatabase() },
    c: await createTestDatabase(),
  }
  directory = await writeProject(engineFiles([toAll]))
  await onService({}, async (service) => {
    // So many that a and b both have some that move to c.
    people = await addPeople(service, 16)
    for (let index = 1; index <= 3; index++) await create(service, `R-${index}`)
    for (const { mail } of people.slice(0, 6)) {
      const [first] = (await service.ask('GET', '/api/notifications', { as: mail })).json()
      const body = { ids: [first._id], status: 'seen' }
      await service.ask('PUT', '/api/notifications/mark', { as: mail, body })
    }
    await allSent(service, 48)
    expected = await readAll(service)
  })
})
after(async () => {
  for (const one of [records, ...Object.values(servers)]) await one.drop()
})

const assertNoneIn = async (name: string, database: TestDatabase) => {
  const { rows } = await database.pool.query(
    `SELECT user_id FROM docket.notification UNION ALL SELECT user_id FROM docket.notification_count
     UNION ALL SELECT user_id FROM docket.delivery UNION ALL SELECT id::integer FROM docket.mailing`,
  )
  assert.deepEqual(rows, [], name)
}

const assertOnlyOwn = async (...names: ('a' | 'b' | 'c')[]) => {
  for (const name of names) {
    const own = people.filter(({ id }) => homeOf(names, id) === name).map(({ id }) => id)
    assert.deepEqual([...new Set(await usersIn(servers[name].pool))], own, name)
  }
}

test('a start refuses servers that do not have the rows, and says what to do', async () => {
  const setting = { FEED_DATABASE_URL: urlOf('a', 'b') }
  const started = await runDocket(['start', '--port', '0'], environment(setting))
  assert.notEqual(started.code, 0)
  assert.match(
    started.err,
    /Notifications are in the database of the records, and FEED_DATABASE_URL says a, b: stop all processes and run "docket move-feed"/,
  )
})

test('rows are moved to two servers, and the API shows the same', async () => {
  const setting = { FEED_DATABASE_URL: urlOf('a', 'b') }
  await assertMoved(
    setting,
    /Moved 48 notifications and 48 deliveries of 16 users\. Notifications are in a, b now\./,
  )
  await assertNoneIn('records', records)
  await assertOnlyOwn('a', 'b')
  await onService(setting, async (service) => assert.deepEqual(await readAll(service), expected))
})

test('a move that was killed is run again; until then nobody starts', async () => {
  const setting = { FEED_DATABASE_URL: urlOf('a', 'b', 'c') }
  // Rows can be read and copied, and the move stops where it removes them.
  const holder = await servers.a.pool.connect()
  await holder.query('BEGIN; LOCK TABLE docket.notification_count IN EXCLUSIVE MODE')
  const stopped = spawnDocket(['move-feed'], environment(setting))
  await untilWaitingForLock(servers.a.pool)
  const copied = await usersIn(servers.c.pool)
  assert.notDeepEqual(copied, [])
  stopped.kill('SIGKILL')
  await until('it is gone', () => stopped.signalCode !== null)
  await holder.query('ROLLBACK')
  holder.release()
  const refused = await runDocket(['worker'], environment(setting))
  assert.match(refused.err, /Notifications are being moved to a, b, c, and this has not ended/)
  await assertMoved(setting, /Notifications are in a, b, c now/)
  await assertOnlyOwn('a', 'b', 'c')
  await onService(setting, async (service) => {
    assert.deepEqual(await readAll(service), expected)
    await create(service, 'R-4')
    await allSent(service, 64)
    expected = await readAll(service)
  })
})

test('rows that a process of another setting has stored with the records are added', async () => {
  const setting = { FEED_DATABASE_URL: urlOf('a', 'b', 'c') }
  const [person] = people
  assert.ok(person)
  const content = { icon: 'bell', title: 'Other', message: 'x', url: null, due_at: null }
  const at = new Date().toISOString()
  const event = { id: 'other', rule: '0', entityKey: 'request', entityId: 1, at }
  const recipients = { userIds: [person.id], content }
  await storeBatches(records.pool, [{ event, recipients }])
  const refused = onService(setting, async () => undefined)
  await assert.rejects(refused, /Notifications are in the database of the records/)
  await assertMoved(setting, /Moved 1 notifications and 0 deliveries of 1 users/)
  await onService(setting, async (service) => {
    const ask = async (path: string) => (await service.ask('GET', path, { as: person.mail })).json()
    assert.equal((await ask('/api/notifications/count')).count, 5)
    assert.equal((await ask('/api/notifications/count?status=unseen')).count, 4)
    expected = await readAll(service)
  })
})

test('rows come back to the database of the records, whose ids go on', async () => {
  const unnamed = await move({})
  assert.match(
    unnamed.err,
    /Notifications may be in a, b, c: name these servers in FEED_DATABASE_FORMER_URL/,
  )
  await assertMoved({ FEED_DATABASE_FORMER_URL: urlOf('a', 'b', 'c') }, /database of the records/)
  for (const [name, database] of Object.entries(servers)) await assertNoneIn(name, database)
  await onService({}, async (service) => {
    assert.deepEqual(await readAll(service), expected)
    await create(service, 'R-5')
    await allSent(service, 80)
  })
})

test('a database of records, and a server of others, are refused', async () => {
  const own = await move({ FEED_DATABASE_URL: feedUrl({ x: records.connectionString }) })
  assert.match(own.err, /"x" is a database of records/)
})
