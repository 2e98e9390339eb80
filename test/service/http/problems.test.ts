/** Error responses: their format, every documented status, no internals, and no long values of the request. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { errorKinds } from '../../../src/error-kinds.ts'
import { createOrder, invalidPaths, sharedProject, users } from '../../support/a-project.ts'
import type { AskOptions, Reply } from '../../support/service.ts'

let id = 0
const service = await sharedProject()
const { ask } = service

/** Holds for every error response. */
const assertProblem = (reply: Reply, code: keyof typeof errorKinds) => {
  const { title, status, hint } = errorKinds[code]
  assert.equal(reply.headers.get('content-type'), 'application/problem+json; charset=utf-8')
  const problem = reply.json()
  assert.deepEqual(
    [reply.status, problem.status, problem.code, problem.type, problem.title, problem.hint],
    [status, status, code, `urn:docket:error:${code}`, title, hint],
  )
  assert.equal(problem.requestId, reply.headers.get('x-request-id'))
  assert.ok(typeof problem.detail === 'string' && problem.detail.length > 0)
  for (const { path, message } of problem.errors ?? [])
    assert.ok(typeof path === 'string' && message.length > 0)
  assert.doesNotMatch(
    reply.text,
    /\bat \w+ \(|\.ts\b|node_modules|SELECT|INSERT|UPDATE |"stack"|records\."|pg_|SQLSTATE/,
  )
}

const bad = { Authorization: 'Bearer a.b.c' }
const text = { 'Content-Type': 'text/plain' }
const stale = { 'If-Match': '"9"' }
const rows: readonly [keyof typeof errorKinds, string, string, AskOptions?][] = [
  ['request.malformed-json', 'POST', '/order', { body: '{' }],
  ['request.invalid', 'GET', '/order?limit=0'],
  ['criteria.invalid', 'POST', '/order/search', { body: { $where: { a: 1 } } }],
  ['caller.unauthenticated', 'GET', '/order', { as: null }],
  ['caller.unauthenticated', 'GET', '/order', { headers: bad }],
  ['caller.forbidden', 'DELETE', '/order/{id}', { as: users.buyer }],
  ['request.no-such-path', 'GET', '/order/{id}/nothing'],
  ['entity.unknown', 'GET', '/odrer'],
  ['record.unknown', 'GET', '/order/4711'],
  ['request.method-not-allowed', 'PUT', '/order'],
  ['record.conflict', 'POST', '/order', { body: { number: 'ZZ-1' } }],
  ['record.stale', 'PATCH', '/order/{id}', { body: { notes: 'x' }, headers: stale }],
  ['request.not-json', 'POST', '/order', { body: 'a=1', headers: text }],
  ['request.too-large', 'POST', '/order', { body: { notes: 'x'.repeat(5_000_000) } }],
  ['record.invalid', 'POST', '/order', { body: { number: 'x' } }],
]

describe('an error is application/problem+json (RFC 9457) with type, title, status, detail and requestId', () => {
  before(async () => {
    id = (await createOrder(service, { number: 'ZZ-1' })).id
  })

  test('whatever the error', async () => {
    for (const [code, method, path, options] of rows)
      assertProblem(await ask(method, path.replace('{id}', String(id)), options), code)
  })

  test('a 401 says how to authenticate (RFC 6750)', async () => {
    const reply = await ask('GET', '/order', { as: null })
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer')
    const { headers } = await ask('GET', '/order', { headers: bad })
    assert.equal(headers.get('www-authenticate'), 'Bearer error="invalid_token"')
  })

  test('a valid request id of the caller is kept, an invalid one is replaced', async () => {
    const of = async (sent: string) =>
      (await ask('GET', '/odrer', { headers: { 'X-Request-Id': sent } })).json().requestId
    assert.equal(await of('trace-1.a:B_2'), 'trace-1.a:B_2')
    const read = await ask('GET', `/order/${id}`, { headers: { 'X-Request-Id': 'mine' } })
    assert.equal(read.headers.get('x-request-id'), 'mine')
    for (const unfit of ['a b', '<script>', "'; DROP TABLE x", 'x'.repeat(129)])
      assert.match(await of(unfit), /^[0-9a-f-]{36}$/)
  })
})

test('unique value, missing record and range are reported together; 422 takes precedence over 409', async () => {
  const body = { number: 'ZZ-1', quantity: 1001, supplier_id: 99, follows_id: 98 }
  const reply = await ask('POST', '/order', { body })
  assert.deepEqual(invalidPaths(reply, 422), ['quantity', 'number', 'supplier_id', 'follows_id'])
  const malformed = await ask('POST', '/order', { body: { ...body, is_urgent: 'yes' } })
  assert.equal(invalidPaths(malformed, 400).length, 5)
})

test('an include together with $select is rejected, because it would have no effect', async () => {
  const body = { $select: ['number'] }
  const reply = await ask('POST', '/order/search?include=supplier', { body })
  assert.deepEqual(invalidPaths(reply, 400), ['include'])
})

const long = 'x'.repeat(150)
const digits = '9'.repeat(150)
const longest = 'x'.repeat(300)
const header = (name: string, value: string): AskOptions => ({ headers: { [name]: value } })
const body = {}
const charset = header('Content-Type', `application/json; charset=${long}`)

const truncated: readonly [string, number, string, string, AskOptions?][] = [
  ['a path', 404, 'GET', `/api/${longest}/${longest}`],
  ['an entity', 404, 'GET', `/${long}`],
  ['the id of a record', 404, 'GET', `/order/${digits}`],
  ['the id of a task', 404, 'PUT', `/order/1/${digits}`, { body: { is_completed: true } }],
  ['the id of a delivery', 404, 'GET', `/api/deliveries/${digits}`],
  ['a parameter', 400, 'GET', `/order?limit=${long}`],
  ['a parameter of pictures', 400, 'GET', `/order?limit=x${encodeURIComponent('😀'.repeat(60))}`],
  ['an encoding', 415, 'POST', '/order', { body, ...header('Content-Encoding', long) }],
  ['a character set', 415, 'POST', '/order', { body, ...charset }],
  ['a media type', 406, 'POST', '/order/export', header('Accept', `a/${longest}`)],
  ['a value', 400, 'POST', '/order', { body: { number: 'AB-1', needed_by: long } }],
  ['a number', 400, 'POST', '/order', { body: `{"rate":1.${'0'.repeat(100)}1}` }],
]

test('long values of a request end with … in the message, between two characters', async () => {
  for (const [what, status, method, path, options] of truncated) {
    const reply = await service.ask(method, path, options)
    assert.equal(reply.status, status, `${what} ${reply.text}`)
    const { detail, errors = [] } = reply.json()
    const messages = [detail, ...errors.map(({ message }: { message: string }) => message)].join()
    assert.match(messages, /…/, what)
    assert.doesNotMatch(messages, /x{210}/, what)
    assert.doesNotMatch(messages, /\\ud[89a-f]|\uFFFD/i, what)
  }
})
