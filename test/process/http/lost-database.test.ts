/**
 * Lost connections and an unavailable database: callers get a response that asks them to try again
 * later, and the service recovers without a restart. It uses its own connection pool.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { openDevelopmentIssuer } from '../../../src/auth/tokens/development-issuer.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { createObservationHub } from '../../../src/observations.ts'
import { createService } from '../../../src/runtime/create-service.ts'
import { openDatabase, prepareDatabase } from '../../../src/runtime/open-database.ts'
import { openRuntime } from '../../../src/runtime/open-runtime.ts'
import { nextNumber, projectFiles } from '../../support/a-project.ts'
import { afterwards } from '../../support/afterwards.ts'
import { type OwnServer, startOwnServer } from '../../support/own-server.ts'
import { writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const observe = () => undefined

let server: OwnServer
let url = ''
let token = ''

before(async () => {
  server = await startOwnServer()
  const folder = await writeProject(projectFiles)
  const config = loadConfig({
    PROJECT: folder,
    PORT: '0',
    DATABASE_URL: server.connectionString,
    SHUTDOWN_GRACE_SECONDS: '5',
  })
  const { project } = await loadProject(folder)
  assert.ok(project)
  const database = await openDatabase(config, observe)
  await prepareDatabase(database.pool, project, config, observe)
  const { connectionString, pool: commands } = database
  const hub = createObservationHub(observe)
  const runtime = openRuntime({ config, project, connectionString, hub })
  const service = await createService({ runtime, commands })
  url = await service.server.listen({ host: '127.0.0.1', port: 0 })
  token = await (await openDevelopmentIssuer(folder)).signToken(config.ADMIN_EMAIL)
  afterwards(async () => {
    await service.stop()
    await runtime.close()
    await database.close()
  })
})

const ask = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const json = (await response.json()) as { id: number; code?: string; data: { id: number }[] }
  return { status: response.status, retryAfter: response.headers.get('retry-after'), json }
}

/** Sends requests until the service has found its database again. */
const untilAnswered = (path: string) =>
  until(`${path} is answered again`, async () => {
    const reply = await ask('GET', path)
    if (reply.status !== 200) assert.equal(reply.status, 503)
    return reply.status === 200 && reply
  })

const onServer = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: server.connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const terminateConnections = (client: pg.Client, condition = 'true') =>
  client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'docket%' AND application_name <> 'docket presence' AND pid <> pg_backend_pid() AND ${condition}`,
  )

describe('an unavailable database is a 503 with Retry-After', () => {
  test('a change whose connection is lost while it waits is a 503 and changes nothing', async () => {
    const { json } = await ask('POST', '/order', { number: nextNumber() })
    const path = `/order/${json.id}`
    const sent = await onServer(async (client) => {
      await client.query('BEGIN')
      await client.query('SELECT FROM records."order" WHERE id = $1 FOR UPDATE', [json.id])
      const waiting = ask('PATCH', path, { notes: 'never' })
      const waits = `wait_event_type = 'Lock'`
      await until(
        'a waiting connection is closed',
        async () => (await terminateConnections(client, waits)).rowCount !== 0,
      )
      await client.query('ROLLBACK')
      return waiting
    })
    assert.deepEqual([sent.status, sent.json.code], [503, 'database.unavailable'])
    assert.equal(sent.retryAfter, '2')
    assert.deepEqual((await untilAnswered(path)).json, json)
  })

  test('requests during repeated connection losses succeed or get a 503, and no record is lost or incomplete', async () => {
    const created: number[] = []
    const statuses = new Set<number>()
    const work = async () => {
      for (let round = 0; round < 25; round++) {
        const made = await ask('POST', '/order', { number: nextNumber() })
        statuses.add(made.status)
        if (made.status === 503) assert.equal(made.retryAfter, '2')
        if (made.status !== 201) continue
        created.push(made.json.id)
        statuses.add((await ask('PATCH', `/order/${made.json.id}`, { notes: 'a' })).status)
        statuses.add((await ask('GET', `/order/${made.json.id}`)).status)
      }
    }
    await onServer(async (client) => {
      const controller = new AbortController()
      const terminateRepeatedly = async () => {
        while (!controller.signal.aborted) {
          await terminateConnections(client)
          await delay(15)
        }
      }
      const terminating = terminateRepeatedly()
      await Promise.all(Array.from({ length: 8 }, work)).finally(() => controller.abort())
      await terminating
    })
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

  test('while the database is stopped every path of records is a 503, and /live stays 200', async () => {
    await server.stop()
    const requests: readonly [string, string, unknown?][] = [
      ['GET', '/order'],
      ['GET', '/order/1'],
      ['GET', '/order/1/history'],
      ['POST', '/order/search', {}],
      ['POST', '/order', { number: nextNumber() }],
      ['POST', '/order/export', {}],
      ['PATCH', '/order/1', { notes: 'x' }],
      ['DELETE', '/order/1'],
      ['POST', '/order/1/takeOwnership'],
      ['GET', '/api/me'],
    ]
    for (const [method, path, body] of requests) {
      const { status, json, retryAfter } = await ask(method, path, body)
      assert.deepEqual([status, json.code, retryAfter], [503, 'database.unavailable', '2'], path)
    }
    const ready = await fetch(`${url}/api/health/ready`)
    assert.deepEqual([ready.status, ready.headers.get('retry-after')], [503, '2'])
    assert.deepEqual(await ready.json(), { status: 'database unavailable' })
    assert.equal((await fetch(`${url}/api/health/live`)).status, 200)
    assert.equal((await fetch(`${url}/api/metrics`)).status, 200)
  })

  test('after the database starts again on the same folder, the service answers without a restart and has every record', async () => {
    await server.start()
    const { json } = await untilAnswered('/order?sort=id&limit=1')
    assert.equal(json.data[0]?.id, 1)
    assert.equal((await fetch(`${url}/api/health/ready`)).status, 200)
    assert.equal((await ask('POST', '/order', { number: nextNumber() })).status, 201)
  })
})
