/** Which request reaches which path: the root, base path, trailing slash, static paths, methods, unusual URLs. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { before, describe, test } from 'node:test'
import { createOrder, sharedProject, startProject } from '../../support/a-project.ts'
import { opened } from '../../support/afterwards.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const basePath = '/docket/v1'

let id = 0
const service = opened(() => startProject({ BASE_PATH: basePath }))
const withoutBase = await sharedProject()
const ask: TestService['ask'] = (...request) => service.ask(...request)
before(async () => {
  id = (await createOrder(service)).id
})

describe('BASE_PATH is a prefix of every path', () => {
  test('records, definitions, health and metrics are served below it, and nothing outside it', async () => {
    for (const path of ['/order', `/order/${id}`, '/api/me', '/api/health/live', '/api/metrics'])
      assert.equal((await ask('GET', path)).status, 200, path)
    for (const path of ['/', '/order', '/docket', '/docket/v2/order', '/api/health/live']) {
      const response = await fetch(`${service.url}${path}`)
      assert.equal(response.status, 404, path)
      assert.equal(((await response.json()) as { code: string }).code, 'request.no-such-path')
    }
  })

  test('Location contains the whole path of the new record', async () => {
    const reply = await ask('POST', '/country', { body: { code: 'HR', name: 'Croatia' } })
    const location = reply.headers.get('location')
    assert.equal(location, `${basePath}/country/${reply.json().id}`)
    const headers = { Authorization: `Bearer ${await service.tokenOf()}` }
    const followed = await fetch(`${service.url}${location}`, { headers })
    assert.deepEqual(await followed.json(), reply.json())
  })
})

for (const base of ['', basePath])
  describe(`GET ${base}/`, () => {
    const of = () => (base === '' ? withoutBase : service)

    test('leads browsers to the console', async () => {
      const Accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
      const open = (method: string, path: string) =>
        fetch(`${of().url}${path}`, { method, redirect: 'manual', headers: { Accept } })
      // The base path is one path, with or without its slash.
      for (const method of ['GET', 'HEAD'])
        for (const path of [base, `${base}/`]) {
          const { status, headers } = await open(method, path)
          assert.deepEqual([status, headers.get('location')], [303, `${base}/console/`])
          assert.equal(headers.get('vary'), 'Accept, Authorization, Cookie')
        }
      const page = await open('GET', `${base}/console/`)
      assert.equal(page.status, 200)
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    })

    test('returns JSON otherwise, with paths that exist', async () => {
      const statusOf = async (link: string) => {
        const headers = { Authorization: `Bearer ${await of().tokenOf()}` }
        return (await fetch(`${of().url}${link}`, { headers })).status
      }
      // The first connection for it may not be open yet.
      const ready = async () => (await statusOf(`${base}/api/health/ready`)) === 200
      await until('the service is ready', ready)
      for (const Accept of [
        ...['*/*', 'application/json', 'text/html;q=0, application/json', 'text/html;q=0'],
        ...['application/json, text/html', 'application/json, text/html;q=0.9, */*;q=0.8'],
      ]) {
        const { status, headers, json } = await of().ask('GET', '/', {
          as: null,
          headers: { Accept },
        })
        assert.deepEqual([status, headers.get('vary')], [200, 'Accept, Authorization, Cookie'])
        const { name, service: version, ...links } = json()
        assert.equal(name, 'Records under test')
        assert.match(version, /^docket /)
        assert.deepEqual(Object.keys(links), ['console', 'docs', 'openapi', 'entities', 'health'])
        for (const link of Object.values<string>(links))
          assert.equal(await statusOf(link), 200, link)
      }
    })
  })

test('every path accepts a trailing slash', async () => {
  const own = await createOrder(service)
  for (const [method, path, status] of [
    ['GET', '/order/?limit=1', 200],
    ['GET', `/order/${own.id}/`, 200],
    ['GET', `/order/${own.id}/history/`, 200],
    ['POST', '/order/export/', 200],
    ['GET', '/api/entities/order/', 200],
    ['GET', '/api/health/ready/', 200],
    ['PUT', `/order/${own.id}/`, 405],
    ['GET', '/api/nothing/', 404],
    ['DELETE', `/order/${own.id}/`, 204],
  ] as const)
    assert.equal((await ask(method, path)).status, status, `${method} ${path}`)
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
})

test('a method that a path does not support is a 405, whatever the body; HEAD is GET without the body', async () => {
  for (const [method, body] of [['OPTIONS'], ['PUT', '{']] as const)
    assert.equal((await ask(method, '/order', { body })).status, 405)
  const reply = await ask('HEAD', '/order')
  assert.deepEqual([reply.status, reply.text], [200, ''])
})

describe('every error response is a problem, also to an invalid request', () => {
  const urls: readonly [string, number][] = [
    ['/%E0%A4%A', 400],
    ['/order/%', 400],
    ['/order/%00', 400],
    ['/order/..%2f..%2fetc%2fpasswd', 400],
    [`/${'a'.repeat(201)}`, 404],
    [`/order/${'1'.repeat(201)}`, 404],
    [`/${'a/'.repeat(2000)}`, 404],
    ['/ORDER', 404],
    ['/order%00', 404],
    ['/__proto__', 404],
    ['/toString/1', 404],
    ['/order/../order', 200],
    ['/order/1/history/../../../../api/health/live', 404],
  ]
  test('unusual paths', async () => {
    for (const [path, status] of urls) {
      const reply = await ask('GET', path)
      assert.equal(reply.status, status, reply.text)
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff')
      if (status === 200) continue
      assert.match(reply.headers.get('content-type') ?? '', /^application\/problem\+json/)
      assert.equal(reply.json().requestId, reply.headers.get('x-request-id'))
    }
  })

  const raw = async (request: string): Promise<string> => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.end(request)
    return text(socket)
  }

  test('requests that are not HTTP, and endless headers', async () => {
    const endless = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`
    for (const request of ['BLAH\r\n\r\n', endless]) {
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
    await raw(`POST ${basePath}/order HTTP/1.1\r\n${head}\r\nContent-Length: 50\r\n\r\n{"a"`)
    assert.equal((await ask('GET', '/order')).status, 200)
    const seen = service.observations.slice(before).map(({ kind }) => kind)
    assert.deepEqual(new Set(seen), new Set(['requestAnswered']))
  })
})

test('a list may be given in several parameters, a single value may not', async () => {
  const several = await ask('GET', `/order/${id}?include=supplier&include=_created_by`)
  const one = await ask('GET', `/order/${id}?include=supplier,_created_by`)
  assert.equal(several.status, 200)
  assert.deepEqual(several.json(), one.json())
  assert.equal((await ask('GET', '/order?sort=-number&sort=id')).status, 200)
  assert.equal((await ask('GET', '/order?include=supplier&include=')).status, 400)
})

test('a request is logged with its entity, code and caller, and with no other name', async () => {
  await ask('POST', '/order/search', { body: { $where: { nothing: 1 } } })
  await ask('GET', '/Not%0aa%20name', { headers: { 'X-Request-Id': 'seen' } })
  await ask('GET', '/order', { as: null })
  const answered = service.observations.filter((one) => one.kind === 'requestAnswered')
  const route = `${basePath}/:entityKey`
  assert.deepEqual(
    answered.slice(-3).map((one) => [one.route, one.entity, one.code, one.userId]),
    [
      [`${route}/search`, 'order', 'criteria.invalid', 1],
      [route, undefined, 'entity.unknown', 1],
      [route, 'order', 'caller.unauthenticated', undefined],
    ],
  )
  assert.equal(answered.at(-2)?.requestId, 'seen')
})
