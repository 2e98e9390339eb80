/** What the server takes from whom: time, connections, requests, wrong credentials. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createApiKey } from '../../src/auth/callers/api-keys.ts'
import { tableName } from '../../src/database/sql.ts'
import { createOrder, startProject } from '../support/a-project.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { closeOf, openSocket, sendRaw } from './edge-loop.ts'

const services: TestService[] = []
const start = async (environment: Readonly<Record<string, string>>): Promise<TestService> => {
  const service = await startProject(environment)
  services.push(service)
  return service
}
after(() => Promise.all(services.map((service) => service.stop())))

describe('what does not come whole ends', () => {
  let service: TestService
  before(async () => {
    service = await start({ BODY_TIMEOUT_SECONDS: '1' })
  })

  test('a body that breaks off in the middle is a 408, and its connection ends', async () => {
    const token = await service.tokenOf()
    const head = `POST /order HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n`
    const { status, text } = await sendRaw(service.url, { send: `${head}{`, until: 'closed' })
    assert.equal(status, 408, text)
    assert.match(text, /\r\nContent-Type: application\/problem\+json/)
    assert.match(text, /"code":"request.timeout"/)
  })

  for (const [what, send] of [
    ['a head that breaks off', 'GET /order HTTP/1.1\r\nHost: localhost\r\n'],
    ['a connection without a byte', ''],
  ] as const)
    test(`${what} ends`, async () => {
      const { isClosed } = await sendRaw(service.url, { send, until: 'closed' })
      assert.ok(isClosed)
    })

  test('250 unfinished bodies are all ended, and others are answered meanwhile', async () => {
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

describe('an answer whose reader takes nothing ends', () => {
  let service: TestService
  before(async () => {
    service = await start({ READER_TIMEOUT_SECONDS: '1' })
    const notes = 'x'.repeat(90_000)
    for (let index = 0; index < 100; index += 1) await createOrder(service, { notes })
  })

  const lists = 8
  const stall = async (send: string, knocks: boolean): Promise<number> => {
    const socket = await openSocket(service.url)
    let bytes = 0
    const isClosed = closeOf(socket)
    socket.on('data', (part) => {
      bytes += part.length
    })
    socket.pause()
    socket.write(send.repeat(lists))
    const restMs = knocks ? 15_000 : 4000
    const knock = setInterval(() => knocks && socket.write('\r\n'), 250)
    await new Promise((resolve) => setTimeout(resolve, restMs))
    clearInterval(knock)
    socket.resume()
    const stay = setTimeout(() => socket.end(), 10_000)
    await isClosed
    clearTimeout(stay)
    return bytes
  }

  for (const knocks of [false, true])
    test(`lists of many megabytes that are not read are cut, ${knocks ? 'also where something is sent now and then' : 'and one that is read is whole'}`, async () => {
      const token = await service.tokenOf()
      const send = `GET /order?limit=50 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`
      const bytes = await stall(send, knocks)
      const whole = await service.ask('GET', '/order?limit=50')
      assert.equal(whole.json().data.length, 50)
      assert.ok(bytes < whole.text.length * lists, `${bytes} bytes came`)
    })

  test('a stream that has nothing to tell goes on', async () => {
    const token = await service.tokenOf()
    const socket = await openSocket(service.url)
    let text = ''
    socket.setEncoding('utf8').on('data', (part) => {
      text += part
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
  test('of one address beyond its number are answered 429 and ended; others stay', async () => {
    const service = await start({ CONNECTIONS_PER_ADDRESS: '5' })
    const open = await Promise.all(Array.from({ length: 5 }, () => openSocket(service.url)))
    const { status, text } = await sendRaw(service.url, { send: '', until: 'closed' })
    assert.equal(status, 429, text)
    assert.match(text, /"code":"request.too-many"/)
    assert.match(text, /\r\nRetry-After: 10\r\n/)
    assert.ok(open.every((socket) => !socket.destroyed))
    for (const socket of open) socket.destroy()
    await until('the limit is told', () =>
      service.observations.some(({ kind }) => kind === 'limitReached'),
    )
    // Their places are free again.
    let last = 429
    for (let tries = 0; tries < 100 && last === 429; tries += 1)
      last = (await sendRaw(service.url, { send: live, until: 'answered' })).status
    assert.equal(last, 200)
  })

  test('of all clients beyond their number are closed', async () => {
    const service = await start({ CONNECTIONS_AT_ONCE: '3' })
    const open = await Promise.all(Array.from({ length: 3 }, () => openSocket(service.url)))
    const { isClosed } = await sendRaw(service.url, { send: '', until: 'closed' })
    assert.ok(isClosed)
    for (const socket of open) socket.destroy()
  })
})

const live = 'GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'

describe('requests in a minute', () => {
  test('of one caller beyond their number are 429 with Retry-After; another caller is answered', async () => {
    const service = await start({ REQUESTS_PER_CALLER: '20' })
    const statuses = []
    for (let index = 0; index < 25; index += 1)
      statuses.push((await service.ask('GET', '/order?limit=1')).status)
    assert.deepEqual(statuses.slice(0, 20), Array(20).fill(200))
    assert.deepEqual(statuses.slice(20), Array(5).fill(429))
    const refused = await service.ask('POST', '/order', { body: {} })
    assert.equal(refused.json().code, 'request.too-many')
    const wait = Number(refused.headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 60, String(wait))
    assert.equal((await service.ask('GET', '/order', { as: 'buyer@example.com' })).status, 200)
    const told = service.observations.filter(({ kind }) => kind === 'limitReached')
    assert.equal(told.length, 1)
  })

  test('of one address beyond their number are 429, on every path', async () => {
    const service = await start({ REQUESTS_PER_ADDRESS: '10' })
    for (let index = 0; index < 10; index += 1)
      assert.equal((await service.ask('GET', '/api/health/live')).status, 200)
    for (const path of ['/api/health/live', '/order', '/a/b/c/d/e'])
      assert.equal((await service.ask('GET', path)).status, 429)
  })

  test('what a proxy says of its clients counts only where it is trusted', async () => {
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
  let asked = 0
  before(async () => {
    service = await start({ WRONG_CREDENTIALS_PER_ADDRESS: '20' })
    key = (await createApiKey(service.database.pool, { userId: 1, name: 'test' })).key
    assert.equal((await withKey(key)).status, 200)
  })
  const withKey = (one: string) =>
    service.ask('GET', '/order?limit=1', { as: null, headers: { Authorization: `Bearer ${one}` } })

  test('beyond their number are 429 without a question to the database', async () => {
    const statuses = new Map<number, number>()
    const before = await questions(service)
    for (let index = 0; index < 300; index += 1) {
      const { status } = await withKey(`docket_${index}`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    asked = (await questions(service)) - before
    assert.deepEqual([...statuses.keys()].sort(), [401, 429])
    assert.ok((statuses.get(401) ?? 0) <= 20, JSON.stringify([...statuses]))
    assert.ok(asked <= 25, `${asked} questions`)
  })

  test('shut out nobody from the same address who is known already', async () => {
    assert.equal((await withKey(key)).status, 200)
    assert.equal((await withKey('docket_wrong')).status, 429)
  })

  test('shut out nobody who is known when callers are forgotten, as after a change of any user', async () => {
    const { rows } = await service.database.pool.query<{ id: number }>(
      'SELECT id FROM docket.api_key ORDER BY id DESC LIMIT 1',
    )
    const looks = await questions(service)
    await service.database.pool.query(
      `UPDATE ${tableName('user')} SET last_name = 'Other' WHERE id = 2`,
    )
    await until('the callers were forgotten', async () => {
      assert.equal((await withKey(key)).status, 200)
      return (await questions(service)) > looks
    })
    await service.database.pool.query('DELETE FROM docket.api_key WHERE id = $1', [rows[0]?.id])
    await until('the removed key counts as a wrong one', async () => {
      const { status } = await withKey(key)
      assert.ok(status === 200 || status === 429, String(status))
      return status === 429
    })
  })

  test('a request without any credential is a 401 as before', async () => {
    assert.equal((await service.ask('GET', '/order', { as: null })).status, 401)
  })
})

/** How often the index of API keys was looked into so far. */
const questions = async (service: TestService): Promise<number> => {
  await service.database.pool.query('SELECT pg_stat_force_next_flush()')
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const { rows } = await service.database.pool.query<{ scans: string }>(
    `SELECT seq_scan + coalesce(idx_scan, 0) AS scans FROM pg_stat_user_tables WHERE schemaname = 'docket' AND relname = 'api_key'`,
  )
  return Number(rows[0]?.scans)
}
