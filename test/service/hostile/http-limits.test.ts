/** Limits of the HTTP server: time, connections, requests, wrong credentials. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { tableName } from '../../../src/database/sql.ts'
import { createOrder, startProject } from '../../support/a-project.ts'
import { closeOf, openSocket, sendRaw } from '../../support/hostile/raw-http.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const services: TestService[] = []
const start = async (environment: Readonly<Record<string, string>>): Promise<TestService> => {
  const service = await startProject(environment)
  services.push(service)
  return service
}
after(() => Promise.all(services.map((service) => service.stop())))

describe('incomplete requests', () => {
  let service: TestService
  before(async () => {
    service = await start({ BODY_TIMEOUT_SECONDS: '1' })
  })

  test('an incomplete body returns 408, and the connection closes', async () => {
    const token = await service.tokenOf()
    const head = `POST /order HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n`
    const { status, text } = await sendRaw(service.url, { send: `${head}{`, until: 'closed' })
    assert.equal(status, 408, text)
    assert.match(text, /\r\nContent-Type: application\/problem\+json/)
    assert.match(text, /"code":"request.timeout"/)
  })

  for (const [what, send] of [
    ['a connection with an incomplete head', 'GET /order HTTP/1.1\r\nHost: localhost\r\n'],
    ['a connection without any byte', ''],
  ] as const)
    test(`${what} is closed`, async () => {
      const { isClosed } = await sendRaw(service.url, { send, until: 'closed' })
      assert.ok(isClosed)
    })

  test('250 connections with incomplete bodies are closed, and others are answered meanwhile', async () => {
    const head = 'POST /order HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000000\r\n\r\n'
    const sockets = await Promise.all(Array.from({ length: 250 }, () => openSocket(service.url)))
    const closed = sockets.map(closeOf)
    for (const socket of sockets) {
      socket.resume()
      socket.write(head + ' '.repeat(100_000))
    }
    assert.equal((await service.ask('GET', '/order?limit=1')).status, 200)
    await Promise.all(closed)
  })
})

describe('responses that are not read', () => {
  let service: TestService
  before(async () => {
    service = await start({ READER_TIMEOUT_SECONDS: '1' })
    const notes = 'x'.repeat(90_000)
    for (let index = 0; index < 100; index += 1) await createOrder(service, { notes })
  })

  const lists = 8
  const stall = async (send: string, keepsSending: boolean): Promise<number> => {
    const socket = await openSocket(service.url)
    let bytes = 0
    const isClosed = closeOf(socket)
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    socket.pause()
    socket.write(send.repeat(lists))
    const pausedMs = keepsSending ? 15_000 : 4000
    const sending = setInterval(() => keepsSending && socket.write('\r\n'), 250)
    await new Promise((resolve) => setTimeout(resolve, pausedMs))
    clearInterval(sending)
    socket.resume()
    const closing = setTimeout(() => socket.end(), 10_000)
    await isClosed
    clearTimeout(closing)
    return bytes
  }

  for (const keepsSending of [false, true])
    test(`lists of many megabytes are aborted ${keepsSending ? 'when the client keeps sending but does not read' : 'when the client does not read'}`, async () => {
      const token = await service.tokenOf()
      const send = `GET /order?limit=50 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`
      const bytes = await stall(send, keepsSending)
      const whole = await service.ask('GET', '/order?limit=50')
      assert.equal(whole.json().data.length, 50)
      assert.ok(bytes < whole.text.length * lists, `${bytes} bytes were received`)
    })

  test('a stream without events stays open', async () => {
    const token = await service.tokenOf()
    const socket = await openSocket(service.url)
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    socket.write(
      `GET /api/notifications/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    )
    await until('the stream begins', () => text.includes('retry: '))
    await new Promise((resolve) => setTimeout(resolve, 3000))
    assert.equal(socket.closed, false)
    socket.destroy()
  })
})

describe('connections', () => {
  test('beyond the limit of an address get 429 and are closed; others stay open', async () => {
    const service = await start({ CONNECTIONS_PER_ADDRESS: '5' })
    const open = await Promise.all(Array.from({ length: 5 }, () => openSocket(service.url)))
    const { status, text } = await sendRaw(service.url, { send: '', until: 'closed' })
    assert.equal(status, 429, text)
    assert.match(text, /"code":"request.too-many"/)
    assert.match(text, /\r\nRetry-After: 10\r\n/)
    assert.ok(open.every((socket) => !socket.destroyed))
    for (const socket of open) socket.destroy()
    await until('the limit is reported', () =>
      service.observations.some(({ kind }) => kind === 'limitReached'),
    )
    // The address may connect again.
    let lastStatus = 429
    for (let tries = 0; tries < 100 && lastStatus === 429; tries += 1)
      lastStatus = (await sendRaw(service.url, { send: live, until: 'answered' })).status
    assert.equal(lastStatus, 200)
  })

  test('beyond the limit of all clients are closed', async () => {
    const service = await start({ CONNECTIONS_AT_ONCE: '3' })
    const open = await Promise.all(Array.from({ length: 3 }, () => openSocket(service.url)))
    const { isClosed } = await sendRaw(service.url, { send: '', until: 'closed' })
    assert.ok(isClosed)
    for (const socket of open) socket.destroy()
  })
})

const live = 'GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'

describe('requests per minute', () => {
  test('beyond the limit of a caller return 429 with Retry-After; another caller is answered', async () => {
    const service = await start({ REQUESTS_PER_CALLER: '20' })
    const statuses = []
    for (let index = 0; index < 25; index += 1)
      statuses.push((await service.ask('GET', '/order?limit=1')).status)
    assert.deepEqual(statuses.slice(0, 20), Array(20).fill(200))
    assert.deepEqual(statuses.slice(20), Array(5).fill(429))
    const rejected = await service.ask('POST', '/order', { body: {} })
    assert.equal(rejected.json().code, 'request.too-many')
    const wait = Number(rejected.headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 60, String(wait))
    assert.equal((await service.ask('GET', '/order', { as: 'buyer@example.com' })).status, 200)
    const reports = service.observations.filter(({ kind }) => kind === 'limitReached')
    assert.equal(reports.length, 1)
  })

  test('beyond the limit of an address return 429 on every path', async () => {
    const service = await start({ REQUESTS_PER_ADDRESS: '10' })
    for (let index = 0; index < 10; index += 1)
      assert.equal((await service.ask('GET', '/api/health/live')).status, 200)
    for (const path of ['/api/health/live', '/order', '/a/b/c/d/e'])
      assert.equal((await service.ask('GET', path)).status, 429)
  })

  test('are counted by X-Forwarded-For only when the proxy is trusted', async () => {
    const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } })
    const trusting = await start({ REQUESTS_PER_ADDRESS: '3', TRUST_PROXY: '127.0.0.0/8' })
    for (let index = 0; index < 10; index += 1) {
      const { status } = await trusting.ask('GET', '/api/health/live', from(`10.0.0.${index}`))
      assert.equal(status, 200)
    }
    const other = await start({ REQUESTS_PER_ADDRESS: '3' })
    const statuses = []
    for (let index = 0; index < 5; index += 1)
      statuses.push((await other.ask('GET', '/api/health/live', from(`10.0.0.${index}`))).status)
    assert.deepEqual(statuses, [200, 200, 200, 429, 429])
  })
})

describe('wrong credentials', () => {
  let service: TestService
  let key: string
  let lookups = 0
  before(async () => {
    service = await start({ WRONG_CREDENTIALS_PER_ADDRESS: '20' })
    key = (await createApiKey(service.database.pool, { userId: 1, name: 'test' })).key
    assert.equal((await withKey(key)).status, 200)
  })
  const withKey = (value: string) =>
    service.ask('GET', '/order?limit=1', {
      as: null,
      headers: { Authorization: `Bearer ${value}` },
    })

  test('beyond their limit return 429 without a database query', async () => {
    const statuses = new Map<number, number>()
    const before = await keyLookups(service)
    for (let index = 0; index < 300; index += 1) {
      const { status } = await withKey(`docket_${index}`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    lookups = (await keyLookups(service)) - before
    assert.deepEqual([...statuses.keys()].sort(), [401, 429])
    assert.ok((statuses.get(401) ?? 0) <= 20, JSON.stringify([...statuses]))
    assert.ok(lookups <= 25, `${lookups} lookups`)
  })

  test('do not block known callers of the same address', async () => {
    assert.equal((await withKey(key)).status, 200)
    assert.equal((await withKey('docket_wrong')).status, 429)
  })

  test('do not block known callers of the same address when the cache of callers is cleared by a change of a user', async () => {
    const { rows } = await service.database.pool.query<{ id: number }>(
      'SELECT id FROM docket.api_key ORDER BY id DESC LIMIT 1',
    )
    const earlier = await keyLookups(service)
    await service.database.pool.query(
      `UPDATE ${tableName('user')} SET last_name = 'Other' WHERE id = 2`,
    )
    await until('the cache of callers is cleared', async () => {
      assert.equal((await withKey(key)).status, 200)
      return (await keyLookups(service)) > earlier
    })
    await service.database.pool.query('DELETE FROM docket.api_key WHERE id = $1', [rows[0]?.id])
    await until('the removed key counts as wrong', async () => {
      const { status } = await withKey(key)
      assert.ok(status === 200 || status === 429, String(status))
      return status === 429
    })
  })

  test('do not change that a request without credentials returns 401', async () => {
    assert.equal((await service.ask('GET', '/order', { as: null })).status, 401)
  })
})

/** The number of lookups in the table of API keys so far. */
const keyLookups = async (service: TestService): Promise<number> => {
  await service.database.pool.query('SELECT pg_stat_force_next_flush()')
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const { rows } = await service.database.pool.query<{ scans: string }>(
    `SELECT seq_scan + coalesce(idx_scan, 0) AS scans FROM pg_stat_user_tables WHERE schemaname = 'docket' AND relname = 'api_key'`,
  )
  return Number(rows[0]?.scans)
}
