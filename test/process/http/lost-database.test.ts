/**
 * Lost connections, an unavailable database, and a standby that becomes the primary: callers get a response that asks them
 * to try again later, and the service recovers without a restart, jobs with it.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createPool } from '../../../src/database/pool.ts'
import { createWorker } from '../../../src/runtime/create-worker.ts'
import { nextNumber, projectFiles } from '../../support/a-project.ts'
import { afterwards, opened } from '../../support/afterwards.ts'
import { startAddress } from '../../support/database-address.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { startOwnServer } from '../../support/own-server.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { startStandby } from '../../support/standby.ts'
import { until } from '../../support/wait.ts'

let service: TestService
let token = ''
const primary = opened(() => startOwnServer())
const standby = opened(() => startStandby(primary))
const address = opened(() => startAddress(primary.connectionString))
before(async () => {
  const { connectionString } = address
  const pool = createPool({ connectionString, size: 4, observe: () => undefined })
  const database = { connectionString, pool, drop: () => pool.end() }
  const thing = {
    key: 'thing',
    fields: [{ key: 'name', type: 'string' }],
    hooks,
    notifications: [{ operation: 'create', recipient: { userFields: ['_created_by'] } }],
  }
  const files = { ...projectFiles, 'entities/thing.json': thing }
  service = await startTestService(files, {}, database)
  token = await service.tokenOf()
})

const ask = async (method: string, path: string, body?: unknown, headers: object = {}) => {
  const reply = await service.ask(method, path, {
    // Asked for once: that needs the database.
    as: null,
    body,
    headers: { Authorization: `Bearer ${token}`, ...headers },
  })
  return { ...reply, retryAfter: reply.headers.get('retry-after') }
}

/** Sends requests until the service has found its database again. */
const untilAnswered = (path: string) =>
  until(`${path} is answered again`, async () => {
    const reply = await ask('GET', path)
    if (reply.status !== 200) assert.equal(reply.status, 503)
    return reply.status === 200 && reply
  })

const readiness = async () => {
  const { status, json, retryAfter } = await ask('GET', '/api/health/ready')
  return [status, json().status, retryAfter]
}

const onServer = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: primary.connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Within a transaction PostgreSQL would show the sessions of the first look again and again. */
const terminateConnections = (condition = 'true') =>
  onServer((client) =>
    client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'docket%' AND pid <> pg_backend_pid() AND ${condition}`,
    ),
  )

test('a change whose connection is lost while it waits is a 503 and changes nothing', async () => {
  const created = (await ask('POST', '/order', { number: nextNumber() })).json()
  const path = `/order/${created.id}`
  const sent = await onServer(async (client) => {
    await client.query('BEGIN')
    await client.query('SELECT FROM records."order" WHERE id = $1 FOR UPDATE', [created.id])
    const waiting = ask('PATCH', path, { notes: 'never' })
    const waits = `wait_event_type = 'Lock'`
    await until(
      'a waiting connection is closed',
      async () => (await terminateConnections(waits)).rowCount !== 0,
    )
    await client.query('ROLLBACK')
    return waiting
  })
  assert.deepEqual(
    [sent.status, sent.json().code, sent.retryAfter],
    [503, 'database.unavailable', '2'],
  )
  assert.deepEqual((await untilAnswered(path)).json(), created)
})

test('requests during repeated connection losses succeed or get a 503, and no record is lost or incomplete', async () => {
  const created: number[] = []
  const statuses = new Set<number>()
  const work = async () => {
    for (let round = 0; round < 10; round++) {
      const made = await ask('POST', '/order', { number: nextNumber() })
      statuses.add(made.status)
      if (made.status === 503) assert.equal(made.retryAfter, '2')
      if (made.status !== 201) continue
      const { id } = made.json()
      created.push(id)
      statuses.add((await ask('PATCH', `/order/${id}`, { notes: 'a' })).status)
      statuses.add((await ask('GET', `/order/${id}`)).status)
    }
  }
  const controller = new AbortController()
  const terminateRepeatedly = async () => {
    while (!controller.signal.aborted) {
      await terminateConnections()
      await delay(15)
    }
  }
  const terminating = terminateRepeatedly()
  await Promise.all(Array.from({ length: 8 }, work)).finally(() => controller.abort())
  await terminating
  await untilAnswered('/order')
  assert.deepEqual([...statuses.difference(new Set([200, 201, 503]))], [])
  const { rows } = await onServer((client) =>
    client.query<{ id: number; _version: number; changes: number }>(
      `SELECT t.id, t._version, (SELECT count(*)::int FROM docket.history h WHERE h.entity_key = 'order' AND h.entity_id = t.id) AS changes FROM records."order" t`,
    ),
  )
  const kept = new Set(rows.map(({ id }) => id))
  for (const id of created) assert.ok(kept.has(id), `${id} was created`)
  for (const { _version, changes } of rows) assert.equal(changes, _version)
})

test('while the database is stopped every path of records is a 503, and /live stays 200; then it answers without a restart', async () => {
  await primary.stop()
  for (const [method, path, body] of [
    ['GET', '/order/1/history'],
    ['POST', '/order/search', {}],
    ['POST', '/order', { number: nextNumber() }],
    ['POST', '/order/export', {}],
    ['PATCH', '/order/1', { notes: 'x' }],
    ['GET', '/api/me'],
  ] as const) {
    const { status, json, retryAfter } = await ask(method, path, body)
    assert.deepEqual([status, json().code, retryAfter], [503, 'database.unavailable', '2'], path)
  }
  assert.deepEqual(await readiness(), [503, 'database unavailable', '2'])
  for (const path of ['/api/health/live', '/api/metrics'])
    assert.equal((await ask('GET', path)).status, 200)

  await primary.start()
  const { json } = await untilAnswered('/order?sort=id&limit=1')
  assert.equal(json().data[0]?.id, 1)
  assert.equal((await readiness())[0], 200)
  assert.equal((await ask('POST', '/order', { number: nextNumber() })).status, 201)
})

const notifiedOn = async (name: string) => {
  const { rowCount } = await standby.pool.query(
    `SELECT FROM docket.notification n JOIN records.thing t ON t.id = n.entity_id
     WHERE n.entity_key = 'thing' AND t.name = $1`,
    [name],
  )
  return rowCount
}

test('changes are rejected while the address leads to a standby, and are written once it is the primary', async () => {
  const worker = await createWorker(service.runtime, { watch: false })
  afterwards(worker.stop)
  const create = (name: string) => ask('POST', '/thing', { name }, { 'Idempotency-Key': name })
  assert.equal((await create('before')).status, 201)
  await until(
    'the standby has it, and its job is done',
    async () => (await notifiedOn('before')) === 1,
  )

  address.leadTo(standby.connectionString)
  await until('a change is rejected as read-only', async () => {
    const { status, text, retryAfter } = await create('during')
    assert.deepEqual([status, retryAfter], [503, '2'], text)
    return /read-only/.test(text)
  })
  await until('it is not ready', async () => (await readiness())[1] === 'database read-only')
  assert.deepEqual(await readiness(), [503, 'database read-only', '2'])
  const read = await ask('POST', '/thing/search', { $select: ['name'] })
  assert.deepEqual(read.json().data, [{ name: 'before' }], read.text)

  await primary.stop()
  await standby.pool.query('SELECT pg_promote()')
  await until('changes are written', async () => (await create('during')).status === 201)
  // The same key again, as a client sends it that got no answer.
  assert.equal((await create('during')).status, 201)
  await until('it is ready', async () => (await readiness())[0] === 200)
  for (let count = 0; count < 12; count++)
    assert.equal((await create(`after-${count}`)).status, 201)
  await until('jobs run', async () => (await notifiedOn('after-11')) === 1)
  assert.equal(await notifiedOn('during'), 1)
})
