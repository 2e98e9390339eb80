/** Concurrent callers: no update is lost, none is applied twice, and no two deadlock. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  createAs,
  createOrder,
  invalidPaths,
  nextNumber,
  sharedProject,
  users,
} from '../../support/a-project.ts'
import type { Reply, TestService } from '../../support/service.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await sharedProject()
  ask = service.ask
})

const concurrently = (times: number, send: (index: number) => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => send(index)))

const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort()

test('twenty concurrent creates produce twenty records with different ids', async () => {
  const replies = await concurrently(20, () =>
    ask('POST', '/order', { body: { number: nextNumber() }, as: users.buyer }),
  )
  assert.deepEqual(new Set(statuses(replies)), new Set([201]))
  assert.equal(new Set(replies.map((reply) => reply.json().id)).size, 20)
})

test('of twenty concurrent creates with one unique value, one succeeds and the others return 409 and name the field', async () => {
  const number = nextNumber()
  const replies = await concurrently(20, () => ask('POST', '/order', { body: { number } }))
  const rejected = replies.filter(({ status }) => status !== 201)
  assert.equal(rejected.length, 19)
  for (const reply of rejected) assert.deepEqual(invalidPaths(reply, 409), ['number'])
})

test('of five concurrent creates with the same unique combination, one succeeds', async () => {
  const { id } = await createOrder(service)
  const replies = await concurrently(5, () =>
    ask('POST', '/order_line', { body: { order_id: id, position: 1 } }),
  )
  assert.deepEqual(statuses(replies), [201, 409, 409, 409, 409])
})

describe('Concurrency: "If-Match on PUT, PATCH and DELETE refuses a stale write with 412"', () => {
  const tagged = { headers: { 'If-Match': '"1"' } }

  test('of two concurrent changes with the same tag, exactly one succeeds', async () => {
    const { id } = await createOrder(service)
    const replies = await concurrently(2, (index) =>
      ask('PATCH', `/order/${id}`, { body: { notes: `by ${index}` }, ...tagged }),
    )
    assert.deepEqual(statuses(replies), [200, 412])
    const winner = replies.find(({ status }) => status === 200)?.json()
    assert.equal((await ask('GET', `/order/${id}`)).json().notes, winner.notes)
    assert.equal((await ask('GET', `/order/${id}/history`)).json().data.length, 2)
  })

  test('of a concurrent change and removal with the same tag, exactly one succeeds', async () => {
    const { id } = await createOrder(service)
    const replies = await Promise.all([
      ask('PATCH', `/order/${id}`, { body: { notes: 'x' }, ...tagged }),
      ask('DELETE', `/order/${id}`, tagged),
    ])
    const outcomes = replies.map(({ status }) => status)
    assert.ok(
      [
        [200, 412],
        [404, 204],
      ].some((allowed) => allowed.join() === outcomes.join()),
      outcomes.join(),
    )
  })

  test('without a tag every concurrent change is applied in turn and recorded in the history', async () => {
    const { id } = await createOrder(service)
    const replies = await concurrently(10, (index) =>
      ask('PATCH', `/order/${id}`, { body: { quantity: index + 1 } }),
    )
    assert.deepEqual(new Set(statuses(replies)), new Set([200]))
    assert.equal((await ask('GET', `/order/${id}`)).headers.get('etag'), '"11"')
    const { data } = (await ask('GET', `/order/${id}/history`)).json()
    const recorded = data.slice(0, 10).map((entry: { changes: object }) => entry.changes)
    for (const [index, { quantity }] of recorded.entries())
      assert.equal(quantity.before, recorded[index + 1]?.quantity.after ?? null)
  })
})

test('concurrent changes that link records in a cycle do not deadlock', async () => {
  const ids: number[] = []
  for (let index = 0; index < 4; index++) ids.push((await createOrder(service)).id)
  const replies = await concurrently(60, (index) =>
    ask('PATCH', `/order/${ids[index % 4]}`, {
      body: { follows_id: ids[(index * 7 + 1) % 4], notes: `${index}` },
    }),
  )
  assert.deepEqual(new Set(statuses(replies)), new Set([200]))
})

test('every request is answered when there are more concurrent requests than connections', async () => {
  const order = await createOrder(service)
  const replies = await concurrently(60, (index) =>
    index % 3 === 0
      ? ask('PATCH', `/order/${order.id}`, { body: { notes: `${index}` } })
      : index % 3 === 1
        ? ask('POST', '/order', { body: { number: order.number } })
        : ask('GET', '/order?include=supplier.country'),
  )
  const expected = (index: number) => [200, 409, 200][index % 3]
  assert.deepEqual(
    replies.map(({ status }) => status),
    replies.map((_, index) => expected(index)),
  )
})

test('after two concurrent takeOwnership requests the later caller owns the record and the history has both', async () => {
  const { id } = await createAs(service, 'supplier', { code: 'owned' })
  const order = await createOrder(service, { supplier_id: id })
  const replies = await Promise.all(
    [users.buyer, users.otherBuyer].map((as) =>
      ask('POST', `/order/${order.id}/takeOwnership`, { as }),
    ),
  )
  assert.deepEqual(statuses(replies), [200, 200])
  const owner = (await ask('GET', `/order/${order.id}`)).json()._owned_by
  const { data } = (await ask('GET', `/order/${order.id}/history`)).json()
  assert.equal(data.length, 3)
  assert.equal(data[0].changes._owned_by.after, owner)
})
