/** Limits of the HTTP server: time, connections, requests of a caller and of an address, wrong credentials. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { tableName } from '../../../src/database/sql.ts'
import { createOrder, startProject, users } from '../../support/a-project.ts'
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

const headOf = (path: string, length: number, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}Content-Length: ${length}\r\n\r\n`

describe('bodies and heads that do not arrive', () => {
  let service: TestService
  before(async () => {
    service = await start({ BODY_TIMEOUT_SECONDS: '1' })
  })

  test('an incomplete body returns 408, and the connection closes', async () => {
    const authorization = `Authorization: Bearer ${await service.tokenOf()}\r\n`
    const send = `${headOf('/order', 4_000_000, authorization)}{`
    const { status, text } = await sendRaw(service.url, { send, until: 'closed' })
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

  test('50 connections with incomplete bodies are closed, and others are answered meanwhile', async () => {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(service.url)))
    const closed = sockets.map(closeOf)
    for (const socket of sockets) {
      socket.resume()
      socket.write(headOf('/order', 4_000_000) + ' '.repeat(100_000))
    }
    assert.equal((await service.ask('GET', '/order?limit=1')).status, 200)
    await Promise.all(closed)
  })

  for (const [path, status] of [
    ['/order', 401],
    ['/order/search', 401],
    ['/x', 401],
    ['/api/notifications/explain', 401],
    ['/a/b/c/d/e/f', 404],
    ['/api/nothing', 404],
    ['/api/health/live', 405],
  ] as const)
    test(`a body of an unknown caller is not read: POST ${path} returns ${status} before it is complete, and the connection closes`, async () => {
      const send = headOf(path, 4_000_000) + '['.repeat(1000)
      const { status: received, text } = await sendRaw(service.url, { send, until: 'closed' })
      assert.equal(received, status, text)
      assert.match(text, /\r\nConnection: close\r\n/i)
      assert.match(text, /"code":"/)
    })

  test('bytes after a rejected body are not parsed as a request', async () => {
    const token = await service.tokenOf()
    const next = `DELETE /order/1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const send = headOf('/order', 200_000) + ' '.repeat(200_000) + next
    const { text } = await sendRaw(service.url, { send, until: 'closed' })
    assert.equal(text.split('HTTP/1.1 ').length, 2, text)
  })

  test('a short and complete body of an unknown caller does not close the connection', async () => {
    const send = `${headOf('/order', 2)}{}${headOf('/order', 2, 'Connection: close\r\n')}{}`
    const { text } = await sendRaw(service.url, { send, until: 'closed' })
    assert.equal(text.split('HTTP/1.1 401').length, 3, text)
  })
})

const live = 'GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'

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
    await until('the address may connect again', async () => {
      const answer = await sendRaw(service.url, { send: live, until: 'answered' })
      return answer.status === 200
    })
  })

  test('beyond the limit of all clients are closed', async () => {
    const service = await start({ CONNECTIONS_AT_ONCE: '3' })
    const open = await Promise.all(Array.from({ length: 3 }, () => openSocket(service.url)))
    const { isClosed } = await sendRaw(service.url, { send: '', until: 'closed' })
    assert.ok(isClosed)
    for (const socket of open) socket.destroy()
  })
})

/** The address that a proxy names. */
const from = (address: string) => ({ 'X-Forwarded-For': address })

describe('requests per minute', () => {
  let service: TestService
  before(async () => {
    const limits = { REQUESTS_PER_CALLER: '20', REQUESTS_PER_ADDRESS: '10' }
    service = await start({ ...limits, TRUST_PROXY: '127.0.0.0/8' })
  })

  test('beyond the limit of a caller return 429 with Retry-After; another caller is answered', async () => {
    const ask = (turn: number, as?: string) =>
      service.ask('GET', '/order?limit=1', {
        headers: from(`10.0.0.${turn}`),
        ...(as !== undefined && { as }),
      })
    const statuses = []
    for (let turn = 0; turn < 25; turn++) statuses.push((await ask(turn)).status)
    assert.deepEqual(statuses, [...Array(20).fill(200), ...Array(5).fill(429)])
    const rejected = await service.ask('POST', '/order', { body: {}, headers: from('10.0.0.25') })
    assert.equal(rejected.json().code, 'request.too-many')
    const wait = Number(rejected.headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 60, String(wait))
    assert.equal((await ask(26, users.buyer)).status, 200)
    const reports = service.observations.filter(({ kind }) => kind === 'limitReached')
    assert.equal(reports.length, 1)
  })

  test('beyond the limit of an address return 429 on every path; another address is answered', async () => {
    const headers = from('10.0.1.1')
    const statusOf = async (path: string) => (await service.ask('GET', path, { headers })).status
    for (let turn = 0; turn < 10; turn++) assert.equal(await statusOf('/api/health/live'), 200)
    for (const path of ['/api/health/live', '/order', '/a/b/c/d/e'])
      assert.equal(await statusOf(path), 429)
    const other = { headers: from('10.0.1.2') }
    assert.equal((await service.ask('GET', '/api/health/live', other)).status, 200)
  })

  const strange = {
    'that is malformed': ['/%', 400],
    'with a segment that is longer than any name': [`/order/${'x'.repeat(300)}`, 404],
  } as const
  for (const [what, [path, status]] of Object.entries(strange)) {
    const send = (url: string, host: string) =>
      sendRaw(url, { send: `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, until: 'answered' })

    test(`a path ${what} counts towards the limit of its address`, async () => {
      const { url, ask } = await start({ REQUESTS_PER_ADDRESS: '10' })
      const statuses = []
      for (let times = 0; times < 15; times++) statuses.push((await send(url, 'localhost')).status)
      assert.deepEqual(statuses, [...Array(10).fill(status), ...Array(5).fill(429)])
      assert.equal((await ask('GET', '/api/health/live')).status, 429)
    })

    test(`a path ${what} is answered only for an allowed host name`, async () => {
      const { text } = await send(service.url, 'example.com')
      assert.match(text, /^HTTP\/1\.1 421 /)
      assert.match(text, /"code":"request.misdirected"/)
      assert.match(text, /\r\nX-Request-Id: /i)
    })
  }

  test('are counted by the address of the connection when no proxy is trusted', async () => {
    const other = await start({ REQUESTS_PER_ADDRESS: '3' })
    const statuses = []
    for (let index = 0; index < 5; index += 1) {
      const options = { headers: from(`10.0.0.${index}`) }
      statuses.push((await other.ask('GET', '/api/health/live', options)).status)
    }
    assert.deepEqual(statuses, [200, 200, 200, 429, 429])
  })
})

describe('wrong credentials', () => {
  const token = 'a-token-of-metrics'
  let service: TestService
  let key: string
  before(async () => {
    const limits = { WRONG_CREDENTIALS_PER_ADDRESS: '20', METRICS_TOKEN: token }
    service = await start({ ...limits, TRUST_PROXY: '127.0.0.0/8' })
    key = (await createApiKey(service.database.pool, { userId: 1, name: 'test' })).key
    assert.equal((await withKey(key)).status, 200)
  })
  const withKey = (value: string, path = '/order?limit=1', address = '10.0.0.1') =>
    service.ask('GET', path, {
      as: null,
      headers: { Authorization: `Bearer ${value}`, ...from(address) },
    })
  const wrongKeys = async (count: number) => {
    const statuses = []
    for (let index = 0; index < count; index++)
      statuses.push((await withKey(`docket_${index}`)).status)
    return statuses
  }

  test('beyond their limit return 429 without a look into the database', async () => {
    assert.deepEqual(await wrongKeys(20), Array(20).fill(401))
    const client = await service.database.pool.connect()
    await client.query('BEGIN; LOCK TABLE docket.api_key IN ACCESS EXCLUSIVE MODE')
    // A look into the locked table would wait, and then return 503.
    assert.deepEqual(await wrongKeys(20), Array(20).fill(429))
    await client.query('ROLLBACK')
    client.release()
  })

  test('do not block known callers of the same address, also after a change of a user', async () => {
    assert.equal((await withKey(key)).status, 200)
    await service.database.pool.query(
      `UPDATE ${tableName('user')} SET last_name = 'Other' WHERE id = 1`,
    )
    await until('the change is known', async () => {
      const reply = await withKey(key, '/api/me')
      assert.equal(reply.status, 200)
      return reply.json().last_name === 'Other'
    })
    await service.database.pool.query('DELETE FROM docket.api_key')
    await until('the removed key counts as wrong', async () => {
      const { status } = await withKey(key)
      assert.ok(status === 200 || status === 429, String(status))
      return status === 429
    })
  })

  test('do not change that a request without credentials returns 401', async () => {
    const reply = await service.ask('GET', '/order', { as: null, headers: from('10.0.0.1') })
    assert.equal(reply.status, 401)
  })

  test('are also wrong tokens for the metrics, and the right token is always accepted', async () => {
    const address = '10.0.0.2'
    const statusWith = async (path: string, value: string) =>
      (await withKey(value, path, address)).status
    const statuses = []
    for (let turn = 0; turn < 25; turn++)
      statuses.push(await statusWith('/api/metrics', `${token}${turn}`))
    assert.deepEqual(statuses, [...Array(20).fill(401), ...Array(5).fill(429)])
    assert.equal(await statusWith('/order', 'docket_wrong'), 429)
    assert.equal(await statusWith('/api/metrics', token), 200)
    assert.equal((await service.ask('GET', '/api/metrics', { as: null })).status, 401)
  })
})

describe('responses that are not read', () => {
  let service: TestService
  before(async () => {
    service = await start({ READER_TIMEOUT_SECONDS: '1' })
    await createOrder(service)
    // Longer than a request may set: more than the buffers of a connection hold.
    await service.database.pool.query(
      `UPDATE records."order" SET notes = repeat('x', 12000000) WHERE id = 1`,
    )
  })
  const open = async (path: string) => {
    const socket = await openSocket(service.url)
    const authorization = `Authorization: Bearer ${await service.tokenOf()}`
    socket.on('error', () => undefined)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n\r\n`.repeat(3))
    return socket
  }

  // A client that does not read notices the end of its connection when it sends something.
  for (const [what, intervalMs] of [
    ['rarely sends', 3000],
    ['often sends', 250],
  ] as const)
    test(`are aborted when their client ${what} something and does not read`, async (t) => {
      const socket = (await open('/order?limit=50')).pause()
      const sending = setInterval(() => socket.write('\r\n'), intervalMs)
      t.after(() => clearInterval(sending))
      await until('the connection is closed', () => socket.closed)
    })

  test('are no streams without events', async () => {
    const socket = await open('/api/notifications/stream')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    await until('the stream begins', () => text.includes('retry: '))
    // The service closes a connection without a request after the same time.
    const { isClosed } = await sendRaw(service.url, { send: '', until: 'closed' })
    assert.ok(isClosed)
    assert.equal(socket.closed, false)
    socket.destroy()
  })
})
