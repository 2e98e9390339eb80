/** The version in a row of a search: where it may be named, and the change that uses it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createOrder, invalidPaths, sharedProject, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await sharedProject()
  ask = service.ask
})

const search = (body: object, as?: string) =>
  ask('POST', '/order/search', { body, ...(as && { as }) })

test('$select of a search may name _version: it is the number of the entity tag', async () => {
  const { id } = await createOrder(service, { quantity: 1 })
  const find = { $where: { id }, $select: ['_version', 'quantity', 'supplier.name'] }
  const [row] = (await search(find)).json().data
  assert.deepEqual(row, { _version: 1, quantity: 1, supplier: null })

  const change = (version: number, quantity: number) =>
    ask('PATCH', `/order/${id}`, {
      headers: { 'If-Match': `"${version}"` },
      body: { quantity },
    })
  const changed = await change(row._version, 2)
  assert.deepEqual([changed.status, changed.headers.get('etag')], [200, '"2"'])
  assert.equal((await change(row._version, 3)).status, 412)
  assert.deepEqual((await search({ ...find, $select: ['_version'] })).json().data, [
    { _version: 2 },
  ])
})

test('a role that reads only its own records, or has hidden fields, gets their version', async () => {
  for (const as of [users.clerk, users.buyer]) {
    const { id } = await createOrder(service, {}, as)
    const found = await search({ $where: { id }, $select: ['id', '_version'] }, as)
    assert.deepEqual(found.json().data, [{ id, _version: 1 }])
  }
})

test('a row is given without _version where it is not named', async () => {
  const { id } = await createOrder(service)
  for (const reply of [
    await search({ $where: { id } }),
    await search({ $where: { id }, $select: ['id'] }),
    await ask('GET', `/order/${id}`),
    await ask('GET', '/order'),
  ])
    assert.equal(reply.text.includes('_version'), false)
})

test('nothing but $select of a search may name _version', async () => {
  const bodies: readonly [object, string][] = [
    [{ $where: { _version: 1 } }, '$where._version'],
    [{ $orderBy: ['_version'] }, '$orderBy[0]'],
    [{ $select: ['supplier._version'] }, '$select[0]'],
    [{ $select: ['_version', '_version'] }, '$select[1]'],
  ]
  for (const [body, path] of bodies) assert.deepEqual(invalidPaths(await search(body), 400), [path])
  const exported = await ask('POST', '/order/export', { body: { $select: ['_version'] } })
  assert.deepEqual(invalidPaths(exported, 400), ['$select[0]'])
  assert.deepEqual(invalidPaths(await ask('GET', '/order?sort=_version'), 400), ['sort'])
  const written = await ask('POST', '/order', { body: { number: 'PO-999999', _version: 7 } })
  assert.deepEqual(invalidPaths(written, 400), ['_version'])
})
