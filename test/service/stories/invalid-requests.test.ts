/** Requests that are invalid, hostile or repeated: their responses, and what is stored. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOrder, nextNumber, startProject, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await startProject({ BODY_LIMIT_BYTES: '100000' })
  ask = service.ask
})
after(() => service.stop())

describe('invalid requests', () => {
  const cases: readonly [string, string, string, Parameters<TestService['ask']>[2], number][] = [
    ['malformed JSON', 'POST', '/order', { body: '{"number": }' }, 400],
    ['an empty body', 'POST', '/order', { body: '' }, 400],
    ['an array', 'POST', '/order', { body: [] }, 400],
    [
      'a number that loses digits',
      'POST',
      '/order',
      { body: '{"number":"PO-1","serial":12345678901234567890}' },
      400,
    ],
    ['an invalid number', 'POST', '/order', { body: '{"number":"PO-1","extra":1e400}' }, 400],
    [
      'a body of another type',
      'POST',
      '/order',
      { body: 'a=b', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      415,
    ],
    [
      'a body over the limit',
      'POST',
      '/order',
      { body: { number: 'PO-1', notes: 'x'.repeat(100_001) } },
      413,
    ],
    ['an unknown entity', 'GET', '/odrer', {}, 404],
    ['the id 0', 'GET', '/order/0', {}, 400],
    ['a negative id', 'GET', '/order/-1', {}, 400],
    ['a fraction as id', 'GET', '/order/1.5', {}, 400],
    ['SQL as id', 'GET', '/order/1%20OR%201=1', {}, 400],
    ['an id beyond the column', 'GET', '/order/99999999999', {}, 404],
    ['an unknown path', 'GET', '/order/1/nothing', {}, 404],
    ['a method that is not allowed', 'PUT', '/order', { body: {} }, 405],
    [
      'a wrong If-Match',
      'PATCH',
      '/order/1',
      { body: { notes: 'x' }, headers: { 'If-Match': '1' } },
      400,
    ],
    ['an unknown criteria key', 'POST', '/order/search', { body: { where: {} } }, 400],
    ['no token', 'GET', '/order', { as: null }, 401],
  ]
  for (const [what, method, path, options, status] of cases)
    test(`${what} is a ${status} problem with a request id and without internals`, async () => {
      const reply = await ask(method, path, options)
      assert.equal(reply.status, status, reply.text)
      const problem = reply.json()
      assert.equal(problem.status, status)
      assert.equal(problem.requestId, reply.headers.get('x-request-id'))
      assert.doesNotMatch(reply.text, /\.ts\b|SELECT|records\."|node_modules/)
    })

  test('SQL in every string position changes nothing', async () => {
    const injection = `'; DROP TABLE records."order"; --`
    await createOrder(service, { notes: injection })
    const bodies = [
      { $where: { notes: injection } },
      { $where: { [injection]: 1 } },
      { $where: { notes: { [injection]: 1 } } },
      { $orderBy: [injection] },
      { $select: [injection] },
      { $where: { notes: { $like: injection, $in: [injection], $contains: injection } } },
      { $where: { notes: { $like: '\\' } } },
    ]
    const statuses = []
    for (const body of bodies) statuses.push((await ask('POST', '/order/search', { body })).status)
    assert.deepEqual(statuses, [200, 400, 400, 400, 400, 200, 400])
    const found = await ask('POST', '/order/search', { body: { $where: { notes: injection } } })
    assert.equal(found.json().data[0].notes, injection)
  })

  test('criteria that are nested too deep are a 400', async () => {
    const nested = Array.from({ length: 30 }).reduce<object>((inner) => ({ $not: inner }), {
      id: 1,
    })
    assert.equal((await ask('POST', '/order/search', { body: { $where: nested } })).status, 400)
  })
})

describe('Idempotency-Key', () => {
  const post = (key: string, body: unknown, as?: string) =>
    ask('POST', '/order', { body, headers: { 'Idempotency-Key': key }, ...(as && { as }) })

  test('ten simultaneous requests with the same key and body create one record and get one response', async () => {
    const body = { number: nextNumber() }
    const replies = await Promise.all(Array.from({ length: 10 }, () => post('ten', body)))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]))
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1)
    assert.equal(
      replies.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length,
      9,
    )
  })

  test('the same key with another body is a 422, and with another user a separate request', async () => {
    await post('reused', { number: nextNumber() })
    assert.equal((await post('reused', { number: nextNumber() })).status, 422)
    assert.equal((await post('reused', { number: nextNumber() }, users.buyer)).status, 201)
  })

  test('a rejected create stores nothing: the key can be used again', async () => {
    const { number } = await createOrder(service)
    assert.equal((await post('again', { number })).status, 409)
    await ask('POST', '/order/search', { body: {} })
    assert.equal((await post('again', { number: nextNumber() })).status, 201)
  })

  test('twenty simultaneous rejected creates with keys all get a response', async () => {
    const { number } = await createOrder(service)
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post(`many-${index}`, { number })),
    )
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([409]))
  })
})
