/** Limits of the HTTP server: time, connections, requests of a caller and of an address, wrong credentials. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { before, describe, test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { tableName } from '../../../src/database/sql.ts'
import { createOrder, startProject, users } from '../../support/a-project.ts'
import { opened } from '../../support/afterwards.ts'
import { closeOf, openSocket, sendRaw } from '../../support/hostile/raw-http.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const headOf = (path: string, length: number, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}Content-Length: ${length}\r\n\r\n`

/** Without a trusted proxy. */
const narrow = opened(() => startProject({ CONNECTIONS_AT_ONCE: '3', REQUESTS_PER_ADDRESS: '6' }))
const impatient = opened(() =>
  startProject({ BODY_TIMEOUT_SECONDS: '1', READER_TIMEOUT_SECONDS: '1' }),
)

describe('bodies and heads that do not arrive', () => {
  const send = (text: string) => sendRaw(impatient.url, { send: text, until: 'closed' })

  test('an incomplete body returns 408, and the connection closes', async () => {
    const authorization = `Authorization: Bearer ${await impatient.tokenOf()}\r\n`
    const named = `${authorization}Content-Disposition: attachment; filename="a.json"\r\n`
    for (const path of ['/order', '/api/uploads']) {
      const { status, text } = await send(`${headOf(path, 4_000_000, named)}{`)
      assert.equal(status, 408, text)
      assert.match(text, /\r\nContent-Type: application\/problem\+json/)
      assert.match(text, /"code":"request.timeout"/)
    }
    const { rows } = await impatient.database.pool.query('SELECT FROM docket.blob')
    assert.equal(rows.length, 0)
  })

  test('connections without a byte, with an incomplete head or incomplete bodies are closed, and others are answered meanwhile', async () => {
    const begun = ['', 'GET /order HTTP/1.1\r\nHost: localhost\r\n'].map(send)
    const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(impatient.url)))
    const closed = sockets.map(closeOf)
    for (const socket of sockets) {
      socket.resume()
      socket.write(headOf('/order', 4_000_000) + ' '.repeat(100_000))
    }
    assert.equal((await impatient.ask('GET', '/order?limit=1')).status, 200)
    await Promise.all(closed)
    for (const { isClosed } of await Promise.all(begun)) assert.ok(isClosed)
  })

  test('a body of an unknown caller is not read: the answer comes before it is complete, and the connection closes', async () => {
    for (const [path, status] of [
      ['/order', 401],
      ['/api/notifications/explain', 401],
      ['/a/b/c/d/e/f', 404],
      ['/api/health/live', 405],
    ] as const) {
      const { status: received, text } = await send(headOf(path, 4_000_000) + '['.repeat(1000))
      assert.equal(received, status, text)
      assert.match(text, /\r\nConnection: close\r\n/i)
      assert.match(text, /"code":"/)
    }
  })

  test('bytes after a rejected body are not parsed as a request', async () => {
    const token = await impatient.tokenOf()
    const next = `DELETE /order/1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const { text } = await send(headOf('/order', 200_000) + ' '.repeat(200_000) + next)
    assert.equal(text.split('HTTP/1.1 ').length, 2, text)
  })

  test('a short and complete body of an unknown caller does not close the connection', async () => {
    const last = headOf('/order', 2, 'Connection: close\r\n')
    const { text } = await send(`${headOf('/order', 2)}{}${last}{}`)
    assert.equal(text.split('HTTP/1.1 401').length, 3, text)
  })
})

describe('responses that are not read', () => {
  before(async () => {
    await createOrder(impatient)
    // Longer than a request may set: more than the buffers of a connection hold.
    await impatient.database.pool.query(
      `UPDATE records."order" SET notes = repeat('x', 12000000) WHERE id = 1`,
    )
  })
  const open = async (path: string) => {
    const socket = await openSocket(impatient.url)
    const authorization = `Authorization: Bearer ${await impatient.tokenOf()}`
    socket.on('error', () => undefined)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n\r\n`.repeat(3))
    return socket
  }

  // A client that does not read notices the end of its connection when it sends something.
  test('are aborted, whether their client often or rarely sends something', async (t) => {
    const sockets = [await open('/order?limit=50'), await open('/order?limit=50')]
    const sending = sockets.map((socket, index) =>
      setInterval(() => socket.pause().write('\r\n'), index === 0 ? 250 : 3000),
    )
    t.after(() => sending.map(clearInterval))
    for (const socket of sockets) await until('the connection is closed', () => socket.closed)
  })

  test('are no streams without events', async () => {
    const socket = await open('/api/notifications/stream')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    await until('the stream begins', () => text.includes('retry: '))
    // The service closes a connection without a request after the same time.
    const { isClosed } = await sendRaw(impatient.url, { send: '', until: 'closed' })
    assert.ok(isClosed)
    assert.equal(socket.closed, false)
    socket.destroy()
  })
})

/** The address that a proxy names. */
const from = (address: string) => ({ 'X-Forwarded-For': address })

const live = 'GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'

describe('connections', () => {
  test('beyond the limit of an address get 429 and are closed; others stay open', async () => {
    const service = await startProject({ CONNECTIONS_PER_ADDRESS: '5' })
    const open = await Promise.all(Array.from({ length: 5 }, () => openSocket(service.url)))
    const { status, text } = await sendRaw(service.url, { send: '', until: 'closed' })
    assert.equal(status, 429, text)
    assert.match(text, /"code":"request.too-many"/)
    assert.match(text, /\r\nRetry-After: 10\r\n/)
    for (const socket of open) {
      socket.write(live)
      const [answer] = await once(socket, 'data')
      assert.match(String(answer), /^HTTP\/1\.1 200 /)
      socket.destroy()
    }
    await until('the limit is reported', () =>
      service.observations.some(({ kind }) => kind === 'limitReached'),
    )
    await until('the address may connect again', async () => {
      const answer = await sendRaw(service.url, { send: live, until: 'answered' })
      return answer.status === 200
    })
  })

  test('beyond the limit of all clients are closed', async () => {
    const open = await Promise.all(Array.from({ length: 3 }, () => openSocket(narrow.url)))
    const { isClosed } = await sendRaw(narrow.url, { send: '', until: 'closed' })
    assert.ok(isClosed)
    const closed = open.map(closeOf)
    for (const socket of open) socket.destroy()
    await Promise.all(closed)
  })
})

/** Paths that the router rejects: malformed, and with a segment that is longer than any name. */
const strange = ['/%', `/order/${'x'.repeat(300)}`] as const

describe('requests per minute', () => {
  let service: TestService
  before(async () => {
    const limits = { REQUESTS_PER_CALLER: '20', REQUESTS_PER_ADDRESS: '10' }
    service = await startProject({ ...limits, TRUST_PROXY: '127.0.0.0/8' })
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

  test('are counted by the address of the connection when no proxy is trusted, also to paths that the router rejects', async () => {
    const statuses: number[] = []
    for (const path of [...strange, ...strange, ...strange]) {
      const send = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
      statuses.push((await sendRaw(narrow.url, { send, until: 'answered' })).status)
      const headers = from(`10.0.0.${statuses.length}`)
      statuses.push((await narrow.ask('GET', '/api/health/live', { headers })).status)
    }
    assert.deepEqual(statuses, [...[400, 200, 404, 200, 400, 200], ...Array(6).fill(429)])
  })

  test('to a path that the router rejects are answered only for an allowed host name', async () => {
    for (const path of strange) {
      const send = `GET ${path} HTTP/1.1\r\nHost: example.com\r\n\r\n`
      const { text } = await sendRaw(service.url, { send, until: 'answered' })
      assert.match(text, /^HTTP\/1\.1 421 /)
      assert.match(text, /"code":"request.misdirected"/)
      assert.match(text, /\r\nX-Request-Id: /i)
    }
  })
})

describe('wrong credentials', () => {
  const token = 'a-token-of-metrics'
  let service: TestService
  let key: string
  before(async () => {
    const limits = { WRONG_CREDENTIALS_PER_ADDRESS: '20', METRICS_TOKEN: token }
    service = await startProject({ ...limits, TRUST_PROXY: '127.0.0.0/8' })
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
    await until(
      'the change is known',
      async () => (await withKey(key, '/api/me')).json(200).last_name === 'Other',
    )
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
