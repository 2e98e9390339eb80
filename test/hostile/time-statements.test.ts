/**
 * Statements that take long, wait long or are left: they end in time, and nobody else waits for them.
 * Requests have four seconds here, so PostgreSQL ends a statement after 3.2 and a wait after 1.6.
 */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import pg from 'pg'
import { createAs, createOrder, startProject, users } from '../support/a-project.ts'
import type { AskOptions, TestService } from '../support/service.ts'
import { until, within } from '../support/wait.ts'

let service: TestService
before(async () => {
  service = await startProject({ REQUEST_TIMEOUT_SECONDS: '4', DATABASE_POOL_SIZE: '4' })
  // Every read of a country takes a minute.
  await createAs(service, 'country', { code: 'HR', name: 'Croatia' })
  await service.database.pool.query(`
    ALTER TABLE records.country RENAME TO fast_country;
    CREATE VIEW records.country AS
      SELECT * FROM records.fast_country WHERE pg_sleep(60)::text IS NOT NULL`)
})
after(() => service.stop())

/** Statements of the service that run now. */
const running = async (like: string): Promise<number> => {
  const { rows } = await service.database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database()
     AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE $1`,
    [like],
  )
  return rows[0]?.count ?? 0
}
const slow = '%"country"%'
const nothingRuns = () => until('no slow statement runs', async () => (await running(slow)) === 0)
afterEach(nothingRuns)

const askAndLeave = async (method: string, path: string, { as, body }: AskOptions = {}) => {
  const leaving = new AbortController()
  const token = await service.tokenOf(as ?? undefined)
  const asked = fetch(`${service.url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: leaving.signal,
  })
  const failed = assert.rejects(asked, { name: 'AbortError' })
  return { leave: () => leaving.abort(), failed }
}

/** Runs a statement in a transaction of its own that stays open; answers with how to end it. */
const block = async (statement: string, { database } = service): Promise<() => Promise<void>> => {
  const client = new pg.Client(database)
  // It is cut when its database is dropped.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('BEGIN')
  await client.query(statement)
  return () => client.end()
}

const codeOf = (text: string): unknown => JSON.parse(text).code

describe('a statement that takes too long', () => {
  for (const [method, path, body] of [
    ['GET', '/country', undefined],
    ['GET', '/country/1', undefined],
    ['POST', '/country/search', {}],
  ] as const)
    test(`is ended and told with what to do (${method} ${path})`, async () => {
      const reply = await service.ask(method, path, { body })
      assert.deepEqual([reply.status, codeOf(reply.text)], [503, 'request.too-slow'])
      // Who sends it again by themselves would only make it worse.
      assert.equal(reply.headers.get('retry-after'), null)
      assert.match(reply.json().hint, /fewer conditions/)
    })

  test('is a warning in the log, with its code and without a stack', () => {
    const refused = service.observations.filter(({ kind }) => kind === 'requestRefused')
    assert.ok(refused.length >= 3)
    assert.ok(!service.observations.some(({ kind }) => kind === 'requestFailed'))
  })
})

describe('a lock that somebody else holds', () => {
  test('is waited for a part of the time, then told as 503 with Retry-After', async () => {
    const { id } = await createOrder(service)
    const free = await block(`SELECT FROM records."order" WHERE id = ${id} FOR UPDATE`)
    try {
      const reply = await service.ask('PATCH', `/order/${id}`, { body: { notes: 'never' } })
      assert.deepEqual([reply.status, codeOf(reply.text)], [503, 'request.contended'])
      assert.equal(reply.headers.get('retry-after'), '1')
    } finally {
      await free()
    }
    assert.equal((await service.ask('GET', `/order/${id}`)).json().notes, null)
  })
})

describe('a caller who leaves', () => {
  for (const [method, path, body] of [
    ['GET', '/country', undefined],
    ['GET', '/country/1', undefined],
    ['POST', '/country/search', {}],
  ] as const)
    test(`ends the statement of ${method} ${path}`, async () => {
      const { leave, failed } = await askAndLeave(method, path, { body })
      await until('it runs', async () => (await running(slow)) > 0)
      leave()
      await failed
      await nothingRuns()
    })

  test('does not end what others wait for, nor what they ask themselves afterwards', async () => {
    for (let turn = 0; turn < 20; turn++) {
      const { leave, failed } = await askAndLeave('GET', '/country')
      await until('it runs', async () => (await running(slow)) > 0)
      leave()
      const replies = await Promise.all(
        Array.from({ length: 4 }, () => service.ask('GET', '/supplier')),
      )
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200, 200, 200],
      )
      await failed
    }
  })

  test('a write goes on to its end', async () => {
    const { id } = await createOrder(service)
    const free = await block(`SELECT FROM records."order" WHERE id = ${id} FOR UPDATE`)
    const { leave, failed } = await askAndLeave('PATCH', `/order/${id}`, {
      body: { notes: 'kept' },
    })
    await until('it waits', async () => (await running('%FOR NO KEY UPDATE%')) > 0)
    leave()
    await failed
    await free()
    const isKept = async () => (await service.ask('GET', `/order/${id}`)).json().notes === 'kept'
    await until('the change is there', isKept)
  })
})

describe('a caller who asks for much', () => {
  test('holds a half of the connections at most: others are answered, and it is ready', async () => {
    const left: (() => void)[] = []
    const ended: Promise<void>[] = []
    for (let count = 0; count < 20; count++) {
      const { leave, failed } = await askAndLeave('GET', '/country')
      left.push(leave)
      ended.push(failed)
    }
    await until('a half of the connections runs', async () => (await running(slow)) === 2)
    for (let count = 0; count < 10; count++) {
      const reply = await service.ask('GET', '/supplier', { as: users.buyer })
      assert.equal(reply.status, 200, reply.text)
      assert.ok((await running(slow)) <= 2)
    }
    assert.equal((await service.ask('GET', '/api/health/ready', { as: null })).status, 200)
    for (const leave of left) leave()
    await Promise.all(ended)
  })

  test('their own further requests are told to come again, and get through afterwards', async () => {
    const slowOnes = Array.from({ length: 12 }, () => service.ask('GET', '/country'))
    const replies = await Promise.all(slowOnes)
    const codes = new Set(replies.map(({ text }) => codeOf(text)))
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [503])
    assert.ok(codes.has('request.too-slow'))
    assert.equal((await service.ask('GET', '/supplier')).status, 200)
  })
})

test('the service stops although a statement does not end', async () => {
  const own = await startProject({ SHUTDOWN_GRACE_SECONDS: '1', REQUEST_TIMEOUT_SECONDS: '600' })
  const free = await block('LOCK TABLE records.supplier IN ACCESS EXCLUSIVE MODE', own)
  const asked = own.ask('PATCH', '/supplier/1', { body: { name: 'x' } }).catch(() => undefined)
  await until('it waits', async () => {
    const { rowCount } = await own.database.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return (rowCount ?? 0) > 0
  })
  await within('the service stops', own.stop())
  await Promise.all([asked, free()])
})
