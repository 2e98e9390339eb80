/** Which request reaches which path: base path, trailing slash, static paths, methods, unusual URLs. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { createOrder, invalidPaths, startProject } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let ask: TestService['ask']
let id = 0
before(async () => {
  service = await startProject({ BASE_PATH: '/docket/v1' })
  ask = service.ask
  id = (await createOrder(service)).id
})
after(() => service.stop())

describe('BASE_PATH is a prefix of every path', () => {
  test('records, definitions, health and metrics are served below it', async () => {
    for (const path of ['/order', `/order/${id}`, '/api/me', '/api/health/live', '/api/metrics'])
      assert.equal((await ask('GET', path)).status, 200, path)
  })

  test('no path is served outside it', async () => {
    for (const path of ['/', '/order', '/docket', '/docket/v2/order', '/api/health/live']) {
      const response = await fetch(`${service.url}${path}`)
      assert.equal(response.status, 404, path)
      assert.equal(((await response.json()) as { code: string }).code, 'request.no-such-path')
    }
  })

  test('Location contains the whole path of the new record', async () => {
    const reply = await ask('POST', '/country', { body: { code: 'HR', name: 'Croatia' } })
    const location = reply.headers.get('location')
    assert.equal(location, `/docket/v1/country/${reply.json().id}`)
    const headers = { Authorization: `Bearer ${await service.tokenOf()}` }
    const followed = await fetch(`${service.url}${location}`, { headers })
    assert.deepEqual(await followed.json(), reply.json())
  })
})

describe('every path accepts a trailing slash', () => {
  for (const [method, path, status] of [
    ['GET', '/order/', 200],
    ['GET', '/order/{id}/', 200],
    ['GET', '/order/{id}/history/', 200],
    ['GET', '/order/?limit=1', 200],
    ['POST', '/order/search/', 200],
    ['POST', '/order/export/', 200],
    ['PATCH', '/order/{id}/', 200],
    ['POST', '/order/{id}/takeOwnership/', 200],
    ['GET', '/api/me/', 200],
    ['GET', '/api/entities/order/', 200],
    ['GET', '/api/health/ready/', 200],
    ['GET', '/api/metrics/', 200],
    ['PUT', '/order/{id}/', 405],
    ['GET', '/api/nothing/', 404],
    ['DELETE', '/order/{id}/', 204],
  ] as const)
    test(`${method} ${path} is ${status}`, async () => {
      const body = method === 'PATCH' ? { body: { notes: 'a' } } : {}
      const reply = await ask(method, path.replace('{id}', String(id)), body)
      assert.equal(reply.status, status)
    })
})

describe('static paths take precedence over /:entityKey', () => {
  test('what is below /api and /assets is no entity: a 404 without requiring a token', async () => {
    for (const path of ['/api', '/api/nothing', '/api/a/b/c', '/assets'])
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
        const reply = await ask(method, path, { as: null })
        assert.deepEqual([reply.status, reply.json().code], [404, 'request.no-such-path'], path)
      }
  })

  test('the console accepts no method but GET', async () => {
    for (const path of ['/', '/console', '/console/order/1', '/assets/x.js'])
      for (const method of ['POST', 'PATCH', 'DELETE']) {
        const reply = await ask(method, path, { as: null })
        assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'GET, HEAD'], path)
      }
  })

  test('an id that is longer than any id is a 404 with every method', async () => {
    for (const path of ['/console/-/sessions', '/api/deliveries', '/order'])
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        if (method === 'GET' && path.startsWith('/console')) continue
        const { status } = await ask(method, `${path}/${'9'.repeat(300)}`)
        assert.equal(status, 404, `${method} ${path}`)
      }
  })

  test('the named paths of an entity are not read as ids', async () => {
    const reply = await ask('GET', '/order/search')
    assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'POST'])
  })
})

describe('a method that a path does not support is a 405 with Allow', () => {
  const rows = [
    ['PUT', '/order', 'GET, HEAD, POST'],
    ['OPTIONS', '/order', 'GET, HEAD, POST'],
    ['POST', '/order/1', 'GET, HEAD, PATCH, DELETE'],
  ] as const
  for (const [method, path, allow] of rows)
    test(`${method} ${path} allows ${allow}`, async () => {
      // The body is malformed on purpose: its content does not matter here.
      const body = method === 'OPTIONS' ? {} : { body: '{' }
      const reply = await ask(method, path, body)
      assert.deepEqual(invalidPaths(reply, 405), [])
      assert.equal(reply.headers.get('allow'), allow)
    })

  test('HEAD is answered as GET, without the body', async () => {
    const reply = await ask('HEAD', '/order')
    assert.deepEqual([reply.status, reply.text], [200, ''])
  })
})

describe('every error response is a problem, also to an invalid request', () => {
  const urls: readonly [string, number][] = [
    ['/%E0%A4%A', 400],
    ['/order/%', 400],
    ['/order/%FF', 400],
    [`/${'a'.repeat(201)}`, 404],
    [`/order/${'1'.repeat(201)}`, 404],
    [`/${'a/'.repeat(2000)}`, 404],
    ['/order%00', 404],
    ['/order/%00', 400],
    ['/ORDER', 404],
    ['/order/../order', 200],
    ['/order/..%2f..%2fetc%2fpasswd', 400],
    [`/${encodeURIComponent("order'; DROP TABLE records.order; --")}`, 404],
    ['/__proto__', 404],
    ['/constructor', 404],
    ['/toString/1', 404],
    ['/order/1/history/../../../../api/health/live', 404],
  ]
  for (const [path, status] of urls)
    test(`GET ${path.slice(0, 60)} is ${status}`, async () => {
      const reply = await ask('GET', path)
      assert.equal(reply.status, status, reply.text)
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff')
      if (status === 200) return
      assert.match(reply.headers.get('content-type') ?? '', /^application\/problem\+json/)
      assert.equal(reply.json().requestId, reply.headers.get('x-request-id'))
    })

  const raw = async (request: string): Promise<string> => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.end(request)
    return text(socket)
  }

  test('requests that are not HTTP, and endless headers, are a 400 problem, and the service continues', async () => {
    const requests = [
      'BLAH\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
    ]
    for (const request of requests) {
      const [head = '', body = ''] = (await raw(request)).split('\r\n\r\n')
      assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json/)
      assert.equal(JSON.parse(body).code, 'request.invalid')
    }
    assert.equal((await ask('GET', '/order')).status, 200)
  })

  test('an incomplete body is not an error of the service', async () => {
    const before = service.observations.length
    const token = await service.tokenOf()
    const head = `Host: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`
    await raw(`POST /docket/v1/order HTTP/1.1\r\n${head}\r\nContent-Length: 50\r\n\r\n{"a"`)
    assert.equal((await ask('GET', '/order')).status, 200)
    const seen = service.observations.slice(before).map(({ kind }) => kind)
    assert.deepEqual(new Set(seen), new Set(['requestAnswered']))
  })
})
