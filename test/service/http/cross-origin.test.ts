/** Pages of other origins: those that the operator names may call the API, without cookies. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loadConfig } from '../../../src/config/load-config.ts'
import { sharedProject, startProject } from '../../support/a-project.ts'
import { opened } from '../../support/afterwards.ts'
import { sendRaw } from '../../support/hostile/raw-http.ts'
import type { TestService } from '../../support/service.ts'

const app = 'https://app.example.com'
const second = 'http://localhost:5173'

const service = opened(() => startProject({ CORS_ORIGINS: `${app} ${second}` }))
const closed = await sharedProject()

const namesOf = (headers: Headers, name: string): readonly string[] =>
  (headers.get(name) ?? '').toLowerCase().split(/, */)

const corsOf = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'))

const preflight = (to: TestService, path: string, headers: Readonly<Record<string, string>>) =>
  to.ask('OPTIONS', path, { as: null, headers })

const asked = {
  'Access-Control-Request-Method': 'PATCH',
  'Access-Control-Request-Headers': 'authorization,content-type,if-match,x-any',
}

describe('a preflight', () => {
  test('of any path is answered without a token', async () => {
    for (const path of ['/order/1', '/api/me', '/api/notifications/stream', '/nothing/here'])
      for (const Origin of [app, second]) {
        const { status, headers, text } = await preflight(service, path, { Origin, ...asked })
        assert.deepEqual([status, text], [204, ''])
        assert.equal(headers.get('access-control-allow-origin'), Origin)
        assert.ok(namesOf(headers, 'access-control-allow-methods').includes('patch'))
        const allowed = headers.get('access-control-allow-headers')
        assert.equal(allowed, asked['Access-Control-Request-Headers'])
        assert.ok(namesOf(headers, 'vary').includes('origin'))
        assert.equal(headers.get('access-control-allow-credentials'), null)
      }
  })

  test('of another origin, or to a service without the setting, allows nothing', async () => {
    for (const [to, Origin] of [
      [service, 'https://evil.example'],
      [service, `${app}.evil.example`],
      [service, app.replace('https', 'http')],
      [service, `${app}:8443`],
      [service, 'null'],
      [closed, app],
    ] as const) {
      const { status, headers } = await preflight(to, '/order', { Origin, ...asked })
      assert.deepEqual([status, corsOf(headers)], [405, []], Origin)
    }
  })

  test('with names that are none allows no headers', async () => {
    const headers = { Origin: app, ...asked, 'Access-Control-Request-Headers': 'a b;c' }
    const reply = await preflight(service, '/order', headers)
    assert.equal(reply.status, 204)
    assert.equal(reply.headers.get('access-control-allow-headers'), null)
  })
})

const answers = [
  ['a list', 'GET', '/order', 200],
  ['an export', 'POST', '/order/export', 200],
  ['an error', 'GET', '/order/4711', 404],
  ['without a token', 'GET', '/order', 401],
] as const

describe('an answer', () => {
  for (const [what, method, path, status] of answers)
    test(`that is ${what} may be read by pages of the named origins alone`, async () => {
      const send = (to: TestService, origin: string) =>
        to.ask(method, path, { headers: { Origin: origin }, ...(status === 401 && { as: null }) })
      const { headers, ...reply } = await send(service, app)
      assert.equal(reply.status, status, reply.text)
      assert.equal(headers.get('access-control-allow-origin'), app)
      assert.equal(headers.get('access-control-allow-credentials'), null)
      const exposed = namesOf(headers, 'access-control-expose-headers')
      for (const name of ['etag', 'content-disposition', 'location', 'retry-after', 'x-request-id'])
        assert.ok(exposed.includes(name), name)
      assert.ok(namesOf(headers, 'vary').includes('origin'))
      const other = await send(service, 'https://evil.example')
      assert.deepEqual([other.status, corsOf(other.headers)], [status, []])
      assert.ok(namesOf(other.headers, 'vary').includes('origin'))
      const without = await send(closed, app)
      assert.deepEqual(corsOf(without.headers), [])
      assert.ok(!namesOf(without.headers, 'vary').includes('origin'))
    })

  test('may be read with every header that the OpenAPI document describes', async () => {
    const document = (await service.ask('GET', '/api/openapi.json')).json()
    type Answered = Record<string, { responses?: Record<string, { headers?: object }> }>
    const described = new Set(
      Object.values<Answered>(document.paths).flatMap((methods) =>
        Object.values(methods).flatMap(({ responses = {} }) =>
          Object.values(responses).flatMap(({ headers: own = {} }) =>
            Object.keys(own).map((name) => name.toLowerCase()),
          ),
        ),
      ),
    )
    assert.ok(described.size > 5, [...described].join())
    const { headers } = await service.ask('GET', '/order', { headers: { Origin: app } })
    // A page reads the first without being told so, and the others are for the browser alone.
    const others = [
      ...['cache-control', 'content-type', 'content-encoding', 'end-session-address'],
      ...['set-cookie', 'trailer', 'vary'],
    ]
    const readable = new Set([...others, ...namesOf(headers, 'access-control-expose-headers')])
    assert.deepEqual([...described.difference(readable)], [])
  })

  test('to a path that the router rejects may be read too', async () => {
    const { text } = await sendRaw(service.url, {
      send: `GET /%zz HTTP/1.1\r\nHost: localhost\r\nOrigin: ${app}\r\nConnection: close\r\n\r\n`,
      until: 'closed',
    })
    assert.match(text, /access-control-allow-origin: https:\/\/app\.example\.com/i)
  })
})

test('CORS_ORIGINS are origins, as browsers write them', () => {
  for (const value of [
    ...['*', 'null', 'app.example.com', 'https://app.example.com/', 'https://app.example.com/a'],
    ...['https://*.example.com', 'ftp://app.example.com', 'https://App.example.com'],
    ...['https://app.example.com:443', 'https://a@app.example.com', `${app} *`, `${app},${second}`],
  ])
    assert.throws(() => loadConfig({ CORS_ORIGINS: value }), /CORS_ORIGINS must be origins/, value)
})
