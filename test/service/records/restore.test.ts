/** Callers who may remove a record see the history of a removed one and may restore it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  createAs,
  createOrder,
  invalidPaths,
  nextNumber,
  sharedProject,
  users,
} from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await sharedProject()
  ask = service.ask
})

const remove = async (path: string, as?: string) => {
  const reply = await ask('DELETE', path, as === undefined ? {} : { as })
  assert.equal(reply.status, 204, reply.text)
}

const operationsOf = async (path: string, as?: string): Promise<string[]> => {
  const reply = await ask('GET', `${path}/history`, as === undefined ? {} : { as })
  assert.equal(reply.status, 200, reply.text)
  return reply.json().data.map(({ operation }: { operation: string }) => operation)
}

test('a restored record has its earlier values and a new version, and its history has removal and restore', async () => {
  const order = await createOrder(service, { notes: 'Keep me', total: '12.50' })
  await remove(`/order/${order.id}`)
  assert.equal((await ask('GET', `/order/${order.id}`)).status, 404)
  assert.deepEqual(await operationsOf(`/order/${order.id}`), ['remove', 'create'])
  const reply = await ask('POST', `/order/${order.id}/restore`)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.headers.get('etag'), '"3"')
  const { _updated_at: _now, ...restored } = reply.json()
  const { _updated_at: _then, ...created } = order
  assert.deepEqual(restored, created)
  assert.deepEqual(await operationsOf(`/order/${order.id}`), ['restore', 'remove', 'create'])
})

test('restoring a record that is not removed changes nothing', async () => {
  const { id } = await createOrder(service)
  const reply = await ask('POST', `/order/${id}/restore`)
  assert.deepEqual([reply.status, reply.headers.get('etag')], [200, '"1"'])
  assert.deepEqual(await operationsOf(`/order/${id}`), ['create'])
})

test('a search for removed records finds a removed record', async () => {
  const { id, number } = await createOrder(service)
  await remove(`/order/${id}`)
  const body = { $where: { _is_deleted: true, number } }
  const reply = await ask('POST', '/order/search', { body })
  assert.deepEqual(
    reply.json().data.map((record: { id: number }) => record.id),
    [id],
  )
})

test('a restore returns 409 and names the unique field when another record has the value now', async () => {
  const number = nextNumber()
  const { id } = await createAs(service, 'order', { number })
  await remove(`/order/${id}`)
  const other = await createAs(service, 'order', { number })
  assert.deepEqual(invalidPaths(await ask('POST', `/order/${id}/restore`), 409), ['number'])
  assert.equal((await ask('GET', `/order/${id}`)).status, 404)
  await remove(`/order/${other.id}`)
  assert.equal((await ask('POST', `/order/${id}/restore`)).status, 200)
})

test('a restore returns 409 when another record has the unique combination now', async () => {
  const supplier = await createAs(service, 'supplier', { code: nextNumber() })
  const same = { supplier_id: supplier.id, group: 'A' }
  const { id } = await createOrder(service, same)
  await remove(`/order/${id}`)
  await createOrder(service, same)
  const reply = await ask('POST', `/order/${id}/restore`)
  assert.deepEqual(invalidPaths(reply, 409), ['supplier_id', 'group'])
})

test('the permission to remove covers restore and history: "own" covers records that the caller created or owns', async () => {
  const own = await createOrder(service, {}, users.buyer)
  const others = await createOrder(service)
  await remove(`/order/${own.id}`)
  await remove(`/order/${others.id}`)
  assert.deepEqual(await operationsOf(`/order/${own.id}`, users.buyer), ['remove', 'create'])
  const statuses = async (path: string, as: string) => [
    (await ask('GET', `${path}/history`, { as })).status,
    (await ask('POST', `${path}/restore`, { as })).status,
  ]
  assert.deepEqual(await statuses(`/order/${others.id}`, users.buyer), [404, 403])
  assert.deepEqual(await statuses(`/order/${others.id}`, users.clerk), [404, 404])
  assert.deepEqual(await statuses(`/order/${own.id}`, users.nobody), [404, 404])
  assert.deepEqual(await statuses(`/order/${own.id}`, users.buyer), [200, 200])
})

test('a restore of an unknown record, with a body or with a stale tag is rejected', async () => {
  const { id } = await createOrder(service)
  await remove(`/order/${id}`)
  assert.equal((await ask('POST', '/order/999999/restore')).status, 404)
  assert.equal((await ask('POST', '/task/1/restore')).status, 405)
  assert.equal((await ask('POST', `/order/${id}/restore`, { body: { number: 'X' } })).status, 400)
  const stale = await ask('POST', `/order/${id}/restore`, { headers: { 'If-Match': '"1"' } })
  assert.deepEqual([stale.status, stale.headers.get('etag')], [412, '"2"'])
})

test('ten concurrent restores add one history entry', async () => {
  const { id } = await createOrder(service)
  await remove(`/order/${id}`)
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => ask('POST', `/order/${id}/restore`)),
  )
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
  assert.deepEqual(await operationsOf(`/order/${id}`), ['restore', 'remove', 'create'])
})

test('a restored user is authenticated again', async () => {
  const { rows } = await service.database.pool.query(
    'SELECT id FROM records."user" WHERE email = $1',
    [users.otherBuyer],
  )
  const path = `/user/${rows[0].id}`
  await remove(path)
  assert.equal((await ask('GET', '/api/me', { as: users.otherBuyer })).status, 401)
  assert.equal((await ask('POST', `${path}/restore`)).status, 200)
  assert.equal((await ask('GET', '/api/me', { as: users.otherBuyer })).status, 200)
})
