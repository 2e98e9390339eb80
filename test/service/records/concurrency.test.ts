/** Concurrent callers: no update is lost, none is applied twice, and no two deadlock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createOrder,
  invalidPaths,
  nextNumber,
  sharedProject,
  users,
} from '../../support/a-project.ts'
import type { Reply } from '../../support/service.ts'

const service = await sharedProject()
const { ask } = service

const concurrently = (times: number, send: (index: number) => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => send(index)))
const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort()
const change = (id: number, body: object, headers = {}) =>
  ask('PATCH', `/order/${id}`, { body, headers })
const historyOf = async (id: number) => (await ask('GET', `/order/${id}/history`)).json().data
const tag = { 'If-Match': '"1"' }

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
  const body = { order_id: id, position: 1 }
  const replies = await concurrently(5, () => ask('POST', '/order_line', { body }))
  assert.deepEqual(statuses(replies), [201, 409, 409, 409, 409])
})

test('of two concurrent changes with the same tag, exactly one succeeds', async () => {
  const { id } = await createOrder(service)
  const replies = await concurrently(2, (index) => change(id, { notes: `by ${index}` }, tag))
  assert.deepEqual(statuses(replies), [200, 412])
  const winner = replies.find(({ status }) => status === 200)?.json()
  assert.equal((await ask('GET', `/order/${id}`)).json().notes, winner.notes)
  assert.equal((await historyOf(id)).length, 2)
})

test('of a concurrent change and removal with the same tag, exactly one succeeds', async () => {
  const { id } = await createOrder(service)
  const removal = () => ask('DELETE', `/order/${id}`, { headers: tag })
  const replies = await Promise.all([change(id, { notes: 'x' }, tag), removal()])
  const outcome = replies.map(({ status }) => status).join()
  assert.ok(['200,412', '404,204'].includes(outcome), outcome)
})

test('without a tag every concurrent change is applied in turn and recorded in the history', async () => {
  const { id } = await createOrder(service)
  const replies = await concurrently(10, (index) => change(id, { quantity: index + 1 }))
  assert.deepEqual(new Set(statuses(replies)), new Set([200]))
  assert.equal((await ask('GET', `/order/${id}`)).headers.get('etag'), '"11"')
  const entries: { changes: { quantity: { before: unknown; after: unknown } } }[] = (
    await historyOf(id)
  ).slice(0, 10)
  for (const [index, { changes }] of entries.entries())
    assert.equal(changes.quantity.before, entries[index + 1]?.changes.quantity.after ?? null)
})

test('concurrent changes that link records in a cycle do not deadlock', async () => {
  const ids: number[] = []
  for (let index = 0; index < 4; index++) ids.push((await createOrder(service)).id)
  const replies = await concurrently(60, (index) =>
    change(ids[index % 4] ?? 0, { follows_id: ids[(index * 7 + 1) % 4], notes: `${index}` }),
  )
  assert.deepEqual(new Set(statuses(replies)), new Set([200]))
})

test('every request is answered when there are more concurrent requests than connections', async () => {
  const { id, number } = await createOrder(service)
  const replies = await concurrently(60, (index) => {
    if (index % 3 === 0) return change(id, { notes: `${index}` })
    if (index % 3 === 1) return ask('POST', '/order', { body: { number } })
    return ask('GET', '/order?include=supplier.country')
  })
  const expected = Array.from({ length: 60 }, (_, index) => [200, 409, 200][index % 3])
  assert.deepEqual(
    replies.map(({ status }) => status),
    expected,
  )
})

test('after two concurrent takeOwnership requests the later caller owns the record and the history has both', async () => {
  const { id } = await createOrder(service)
  const replies = await Promise.all(
    [users.buyer, users.otherBuyer].map((as) => ask('POST', `/order/${id}/takeOwnership`, { as })),
  )
  assert.deepEqual(statuses(replies), [200, 200])
  const owner = (await ask('GET', `/order/${id}`)).json()._owned_by
  const entries = await historyOf(id)
  assert.deepEqual([entries.length, entries[0].changes._owned_by.after], [3, owner])
})
