/**
 * A database that stops responding, is read-only, or has lost a column: requests return 503 within a
 * bounded time, `ready` has the reason, and the service recovers without a restart.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import type { Work } from '../../../src/database/connections/session-settings.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../../src/database/embedded/embedded.ts'
import { createPool } from '../../../src/database/pool.ts'
import { addUsers, createOrder, nextNumber, projectFiles } from '../../support/a-project.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { exportOf } from '../../support/export-request.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { type SilentProxy, startSilentProxy } from '../../support/silent-proxy.ts'
import { until, within } from '../../support/wait.ts'

let database: TestDatabase
let proxy: SilentProxy
let service: TestService
before(async () => {
  database = await createTestDatabase()
  proxy = await startSilentProxy(database.connectionString)
  const { connectionString } = proxy
  service = await startTestService(
    await writeProject(projectFiles),
    { REQUEST_TIMEOUT_SECONDS: '3', DATABASE_POOL_SIZE: '4', DATABASE_URL: connectionString },
    { ...database, connectionString },
  )
  await addUsers(database)
})
after(async () => {
  await service.stop()
  await proxy.close()
})

/** Uses its own connection, because connections of a pool keep their initial settings. */
const administrate = async (statement: string) => {
  const client = new pg.Client(database)
  await client.connect()
  await client.query('SET default_transaction_read_only = off')
  await client.query(statement)
  await client.end()
}

const readiness = async () => {
  const { status, json, headers } = await service.ask('GET', '/api/health/ready', { as: null })
  return [status, json().status, headers.get('retry-after')]
}
const isWritable = async () => {
  const reply = await service.ask('POST', '/order', { body: { number: nextNumber() } })
  if (reply.status !== 201) assert.equal(reply.status, 503, reply.text)
  return reply.status === 201
}

describe('a database that stops responding', () => {
  test('causes 503 with Retry-After on every path, and the service recovers afterwards', async () => {
    const { id } = await createOrder(service)
    // Neither open nor new connections get an answer.
    proxy.stall()
    const paths: [string, string, unknown?][] = [
      ['GET', '/order'],
      ['GET', `/order/${id}`],
      ['POST', '/order/search', {}],
      ['POST', '/order', { number: nextNumber() }],
      ['PATCH', `/order/${id}`, { notes: 'x' }],
      ['GET', `/order/${id}/history`],
    ]
    for (let round = 0; round < 2; round++) {
      // The database sends nothing until all requests are answered.
      const replies = await within(
        'every path is answered',
        Promise.all(paths.map(([method, path, body]) => service.ask(method, path, { body }))),
      )
      for (const { status, headers, text } of replies) {
        assert.equal(status, 503, text)
        assert.ok(Number(headers.get('retry-after')) > 0, text)
      }
      assert.deepEqual(await readiness(), [503, 'database unavailable', '2'])
    }
    proxy.resume()
    await until('reads succeed again', async () => {
      const { status } = await service.ask('GET', `/order/${id}`)
      assert.ok(status === 200 || status === 503)
      return status === 200
    })
    await until('writes succeed again', isWritable)
    await until('the service is ready', async () => (await readiness())[0] === 200)
  })

  test('causes a 503 for a write that says that the outcome is unknown', async () => {
    const { id } = await createOrder(service)
    proxy.stall()
    const { status, text } = await service.ask('PATCH', `/order/${id}`, { body: { notes: 'x' } })
    proxy.resume()
    assert.equal(status, 503)
    assert.match(text, /It is not known whether the change was saved/)
    await until('writes succeed again', isWritable)
  })
})

describe('a database that is read-only', () => {
  const name = () => new URL(database.connectionString).pathname.slice(1)
  test('causes 503 for changes and readiness, and the service recovers without a restart', async () => {
    const { id } = await createOrder(service)
    await administrate(`ALTER DATABASE ${name()} SET default_transaction_read_only = on`)
    // As after a failover: old connections are closed, and new ones reach a standby.
    await administrate(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle'`,
    )
    await until('the pool of the test has no connection', () => database.pool.totalCount === 0)
    await until('changes are rejected', async () => !(await isWritable()))
    const changes = [
      service.ask('POST', '/order', { body: { number: nextNumber() } }),
      service.ask('PATCH', `/order/${id}`, { body: { notes: 'x' } }),
      service.ask('DELETE', `/order/${id}`),
    ]
    for (const { status, text, headers } of await Promise.all(changes)) {
      assert.deepEqual([status, JSON.parse(text).code], [503, 'database.unavailable'], text)
      assert.equal(headers.get('retry-after'), '2')
    }
    assert.equal((await service.ask('GET', `/order/${id}`)).status, 200)
    await until(
      'the service is not ready',
      async () => (await readiness())[1] === 'database read-only',
    )
    await administrate(`ALTER DATABASE ${name()} RESET default_transaction_read_only`)
    await until('writes succeed again', isWritable)
    for (let count = 0; count < 12; count++) assert.ok(await isWritable())
    await until('the service is ready', async () => (await readiness())[0] === 200)
  })
})

describe('a column that a newer version has removed', () => {
  test('causes 503 with the reason in the log and in readiness, until the column exists again', async () => {
    const { id } = await createOrder(service)
    await administrate('ALTER TABLE records."order" RENAME COLUMN notes TO remarks')
    for (const [method, path, body] of [
      ['GET', `/order/${id}`, undefined],
      ['POST', '/order/search', {}],
      ['PATCH', `/order/${id}`, { notes: 'x' }],
    ] as const) {
      const { status, text, headers } = await service.ask(method, path, { body })
      assert.deepEqual([status, JSON.parse(text).code], [503, 'database.changed'], text)
      assert.equal(headers.get('retry-after'), '5')
      assert.doesNotMatch(text, /notes/)
    }
    const exported = await exportOf(service, '/order/export')
    assert.equal(exported.status, 503, exported.text)
    assert.deepEqual(await readiness(), [503, 'database of another version', '2'])
    const report = service.observations.find(
      (observation) =>
        observation.kind === 'requestRefused' && observation.code === 'database.changed',
    )
    assert.ok(report && 'error' in report && report.error instanceof Error)
    assert.match(String(report.error.cause), /column .*notes.* does not exist/)
    await administrate('ALTER TABLE records."order" RENAME COLUMN remarks TO notes')
    assert.deepEqual((await readiness()).slice(0, 2), [200, 'ready'])
    assert.equal((await service.ask('GET', `/order/${id}`)).status, 200)
  })
})

describe('a host that disappears without closing its connections', () => {
  const connect = async (
    work: Work,
    { connectionString } = database as Pick<TestDatabase, 'connectionString'>,
  ) => {
    const pool = createPool({ connectionString, size: 1, observe: () => undefined, work })
    const connection = await pool.connect()
    return { pool, connection }
  }
  // The server of the tests has no TCP port, and Unix sockets need no keepalive.
  let directory = ''
  let overTcp: EmbeddedDatabase
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'docket-tcp-'))
    const settings = { fsync: 'off' }
    overTcp = await startEmbedded({ directory, overTcp: true, settings, observe: () => undefined })
  })
  after(async () => {
    await overTcp.stop()
    await rm(directory, { recursive: true, force: true })
  })

  for (const work of [
    { kind: 'requests', timeoutSeconds: 30 },
    { kind: 'jobs' },
    { kind: 'quick' },
  ] as const)
    test(`is detected by PostgreSQL within half a minute (connections for ${work.kind})`, async () => {
      const { pool, connection } = await connect(work, overTcp)
      const show = async (name: string) => {
        const { rows } = await connection.query<Record<string, string>>(`SHOW ${name}`)
        return rows[0]?.[name]
      }
      const names = ['idle', 'interval', 'count'].map((name) => `tcp_keepalives_${name}`)
      const values: unknown[] = []
      for (const name of [...names, 'tcp_user_timeout']) values.push(await show(name))
      connection.release()
      await pool.end()
      assert.deepEqual(values, ['10', '5', '3', '25000'])
    })

  test('does not keep locks: an idle transaction is ended within half a minute', async () => {
    const { id } = await createOrder(service)
    const { pool, connection } = await connect({ kind: 'requests', timeoutSeconds: 30 })
    await connection.query('BEGIN')
    await connection.query('SELECT FROM records."order" WHERE id = $1 FOR UPDATE', [id])
    const change = () => service.ask('PATCH', `/order/${id}`, { body: { notes: 'free' } })
    assert.equal((await change()).status, 503, 'the lock is held')
    await until('the lock is free', async () => (await change()).status === 200)
    connection.release(true)
    await pool.end()
  })
})
