/**
 * Statements that run long, wait long or are aborted: they end in time, and no other request waits for them.
 * The request timeout is six seconds here, so PostgreSQL ends a statement after 4.8 s and a lock wait after 2.4 s;
 * where statements run until their callers leave, it is ten minutes.
 */
import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import pg from 'pg'
import { createAs, createOrder, startProject, users } from '../../support/a-project.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import type { AskOptions, TestService } from '../../support/service.ts'
import { until, within } from '../../support/wait.ts'

const startSlow = async (timeoutSeconds: string): Promise<TestService> => {
  const one = await startProject({
    REQUEST_TIMEOUT_SECONDS: timeoutSeconds,
    SHUTDOWN_GRACE_SECONDS: '1',
    DATABASE_POOL_SIZE: '4',
    EXPORTS_AT_ONCE: '1',
    EXPORT_CONNECTIONS: '1',
  })
  await createAs(one, 'country', { code: 'HR', name: 'Croatia' })
  await createAs(one, 'salary', { amount: '1' })
  // Every read of a country takes ten minutes, and one of a salary is never cancelled.
  await one.database.pool.query(`
    CREATE FUNCTION records.see_no_cancel() RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      LOOP
        BEGIN
          PERFORM pg_sleep(600);
        EXCEPTION WHEN query_canceled THEN
          NULL;
        END;
      END LOOP;
    END $$;
    ALTER TABLE records.country RENAME TO fast_country;
    ALTER TABLE records.salary RENAME TO fast_salary;
    CREATE VIEW records.country AS
      SELECT * FROM records.fast_country WHERE pg_sleep(600)::text IS NOT NULL;
    CREATE VIEW records.salary AS SELECT * FROM records.fast_salary WHERE records.see_no_cancel()`)
  return one
}

const service = await startSlow('6')
const patient = await startSlow('600')
after(() => Promise.all([service.stop(), patient.stop()]))

/** The number of running statements of a service. */
const running = async (like: readonly string[], { database } = patient): Promise<number> => {
  const { rows } = await database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database()
     AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE ANY ($1)`,
    [like],
  )
  return rows[0]?.count ?? 0
}
// PostgreSQL tells the beginning of a statement, and that of an export names its table at the end.
const slow = ['%"country"%', '%"salary"%', 'COPY (%']
const nothingRuns = (of = patient) =>
  until('no slow statement runs', async () => (await running(slow, of)) === 0)
afterEach(async () => {
  await nothingRuns(service)
  await nothingRuns()
})

const sendAbortable = async (
  method: string,
  path: string,
  { as, body }: AskOptions = {},
  to = patient,
) => {
  const controller = new AbortController()
  const token = await to.tokenOf(as ?? undefined)
  const response = fetch(`${to.url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: controller.signal,
  })
  // The head of an export may come before its rows.
  const failed = assert.rejects(
    response.then((answer) => answer.text()),
    { name: 'AbortError' },
  )
  return { abort: () => controller.abort(), failed }
}

/** Runs a statement in a transaction that stays open; returns a function that ends the transaction. */
const block = async (statement: string, { database } = service): Promise<() => Promise<void>> => {
  const client = new pg.Client(database)
  // The connection is closed when its database is dropped.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('BEGIN')
  await client.query(statement)
  return () => client.end()
}

const codeOf = (text: string): unknown => JSON.parse(text).code

const slowReads: readonly [method: string, path: string, body?: object][] = [
  ['GET', '/country'],
  ['GET', '/country/1'],
  ['POST', '/country/search', {}],
]

test('a statement that takes too long is cancelled, the response says what to do, and the log has a warning and no error', async () => {
  // What a caller and a connection need at first takes none of the time between the end of a statement and that of its request.
  for (const as of [undefined, users.buyer])
    assert.equal((await service.ask('GET', '/supplier', { as })).status, 200)
  // An administrator has half of the connections, and the others wait for one.
  const asked = [...slowReads, ...slowReads].map(([method, path, body], index) =>
    service.ask(method, path, { body, as: index === 2 ? users.buyer : undefined }),
  )
  const replies = await Promise.all(asked)
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [503])
  const tooSlow = replies.filter(({ text }) => codeOf(text) === 'request.too-slow')
  assert.ok(tooSlow.length >= 3)
  for (const { headers, json } of tooSlow) {
    // An automatic retry would only add load.
    assert.equal(headers.get('retry-after'), null)
    assert.match(json().hint, /fewer conditions/)
  }
  const warnings = service.observations.filter(({ kind }) => kind === 'requestRefused')
  assert.ok(warnings.length >= slowReads.length)
  assert.ok(!service.observations.some(({ kind }) => kind === 'requestFailed'))
  assert.equal((await service.ask('GET', '/supplier')).status, 200)
})

test('a lock that another transaction holds causes 503 with Retry-After before the request timeout', async () => {
  const { id } = await createOrder(service)
  const free = await block(`SELECT FROM records."order" WHERE id = ${id} FOR UPDATE`)
  const reply = await service.ask('PATCH', `/order/${id}`, { body: { notes: 'never' } })
  await free()
  assert.deepEqual([reply.status, codeOf(reply.text)], [503, 'request.contended'])
  assert.equal(reply.headers.get('retry-after'), '1')
  assert.equal((await service.ask('GET', `/order/${id}`)).json().notes, null)
})

describe('a caller who aborts a request', () => {
  test('cancels its statement, and none of other requests or later ones', async () => {
    for (const [method, path, body] of slowReads) {
      const { abort, failed } = await sendAbortable(method, path, { body })
      await until('the statement runs', async () => (await running(slow)) > 0)
      abort()
      const others = Array.from({ length: 4 }, () => patient.ask('GET', '/supplier'))
      for (const { status } of await Promise.all(others)) assert.equal(status, 200)
      await failed
      await nothingRuns()
    }
  })

  test('does not cancel a write', async () => {
    const { id } = await createOrder(patient)
    const free = await block(`SELECT FROM records."order" WHERE id = ${id} FOR UPDATE`, patient)
    const { abort, failed } = await sendAbortable('PATCH', `/order/${id}`, {
      body: { notes: 'saved' },
    })
    await until('the statement waits', async () => (await running(['%FOR NO KEY UPDATE%'])) > 0)
    abort()
    await failed
    await free()
    const isSaved = async () => (await patient.ask('GET', `/order/${id}`)).json().notes === 'saved'
    await until('the change is saved', isSaved)
  })
})

test('a caller with many requests uses half of the connections, so that others are answered and the service is ready', async () => {
  const aborts: (() => void)[] = []
  const ended: Promise<void>[] = []
  for (let count = 0; count < 8; count++) {
    const { abort, failed } = await sendAbortable('GET', '/country')
    aborts.push(abort)
    // Those that wait for a connection are answered 503 after five seconds.
    ended.push(failed.catch(() => undefined))
  }
  await until('half of the connections are in use', async () => (await running(slow)) === 2)
  for (let count = 0; count < 5; count++) {
    const reply = await patient.ask('GET', '/supplier', { as: users.buyer })
    assert.equal(reply.status, 200, reply.text)
    assert.ok((await running(slow)) <= 2)
  }
  assert.equal((await patient.ask('GET', '/api/health/ready', { as: null })).status, 200)
  for (const abort of aborts) abort()
  await Promise.all(ended)
})

describe('a statement in which PostgreSQL sees no cancel', () => {
  const runningNow = (of = service) => running(slow, of)
  const endAll = async () => {
    await service.database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
       AND pid <> pg_backend_pid() AND query LIKE ANY ($1)`,
      [slow],
    )
    await nothingRuns(service)
  }
  afterEach(endAll)

  test('takes the place of its caller until it has ended, also after they were answered or have left', async () => {
    const late = await service.ask('GET', '/salary')
    assert.deepEqual([late.status, codeOf(late.text)], [503, 'database.unavailable'])
    assert.equal(await runningNow(), 1)
    const { abort, failed } = await sendAbortable('GET', '/salary', {}, service)
    await until('the statement runs', async () => (await runningNow()) > 1)
    abort()
    await failed
    // Each of these waits for a place until it is given up.
    const replies = await Promise.all([1, 2, 3].map(() => service.ask('GET', '/salary')))
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [503])
    assert.equal(await runningNow(), 2)
    for (let count = 0; count < 4; count++)
      assert.equal((await service.ask('GET', '/supplier', { as: users.buyer })).status, 200)
    await endAll()
    assert.equal((await service.ask('GET', '/supplier')).status, 200)
  })

  test('takes the connection of its export', async () => {
    const ask = (entity: string) => service.ask('POST', `/${entity}/export`, { body: {} })
    const { abort, failed } = await sendAbortable('POST', '/salary/export', { body: {} }, service)
    await until('the statement runs', async () => (await runningNow()) > 0)
    abort()
    await failed
    assert.equal((await ask('salary')).status, 503)
    assert.equal(await runningNow(), 1)
    await endAll()
    assert.equal((await ask('supplier')).status, 200)
  })

  test('does not keep the service from stopping, and neither does a lock', async () => {
    const own = await startSlow('600')
    const { abort, failed } = await sendAbortable('GET', '/salary', {}, own)
    await until('the statement runs', async () => (await runningNow(own)) > 0)
    abort()
    await failed
    const free = await block('LOCK TABLE records.supplier IN ACCESS EXCLUSIVE MODE', own)
    const asked = own.ask('PATCH', '/supplier/1', { body: { name: 'x' } }).catch(() => undefined)
    await untilWaitingForLock(own.database.pool)
    await within('the service stops', own.stop())
    await Promise.all([asked, free()])
  })
})
