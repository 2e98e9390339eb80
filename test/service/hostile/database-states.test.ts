/**
 * A database that stops responding, is read-only, or has lost a column: requests return 503, `ready` has the reason, and
 * the service recovers without a restart. Locks of a lost host, and what PostgreSQL does about it: `test/long/corpus`.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { addUsers, createOrder, nextNumber, projectFiles } from '../../support/a-project.ts'
import { startAddress } from '../../support/database-address.ts'
import { exportOf } from '../../support/export-request.ts'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import { startTestService } from '../../support/service.ts'
import { until, within } from '../../support/wait.ts'

const database = await createPreparedDatabase()
const proxy = await startAddress(database.connectionString)
const { connectionString } = proxy
const service = await startTestService(
  projectFiles,
  { REQUEST_TIMEOUT_SECONDS: '3', DATABASE_POOL_SIZE: '4', DATABASE_URL: connectionString },
  { ...database, connectionString },
)
await addUsers(database)
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

test('a database that stops responding causes 503 with Retry-After, and the service recovers afterwards', async () => {
  const { id } = await createOrder(service)
  // Neither open nor new connections get an answer.
  proxy.stall()
  const paths: [string, string, unknown?][] = [
    ['PATCH', `/order/${id}`, { notes: 'x' }],
    ['GET', '/order'],
    ['GET', `/order/${id}`],
    ['POST', '/order/search', {}],
    ['POST', '/order', { number: nextNumber() }],
    ['GET', `/order/${id}/history`],
  ]
  // The connection of this one was open.
  const change = await service.ask('PATCH', `/order/${id}`, { body: { notes: 'x' } })
  assert.equal(change.status, 503)
  assert.match(change.text, /It is not known whether the change was saved/)
  // The database sends nothing until all requests are answered.
  const asked = paths.map(([method, path, body]) => service.ask(method, path, { body }))
  for (const { status, headers, text } of await within('all are answered', Promise.all(asked))) {
    assert.equal(status, 503, text)
    assert.ok(Number(headers.get('retry-after')) > 0, text)
  }
  assert.deepEqual(await readiness(), [503, 'database unavailable', '2'])
  proxy.resume()
  await until('writes succeed again', isWritable)
  await until('the service is ready', async () => (await readiness())[0] === 200)
})

test('a column that a newer version has removed causes 503 with the reason in the log and in readiness', async () => {
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

test('a read-only database causes 503 for changes and readiness, and the service recovers', async () => {
  const name = new URL(database.connectionString).pathname.slice(1)
  const { id } = await createOrder(service)
  await administrate(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
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
  await administrate(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
  await until('writes succeed again', isWritable)
  for (let count = 0; count < 12; count++) assert.ok(await isWritable())
  await until('the service is ready', async () => (await readiness())[0] === 200)
})
