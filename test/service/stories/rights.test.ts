/** Permissions on every path: nothing by default, own records, hidden fields, and no way around them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  createAs,
  createOrder,
  invalidPaths,
  nextNumber,
  startProject,
  users,
} from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await startProject()
  ask = service.ask
})
after(() => service.stop())

test('to a role without any permission on an entity, every operation responds as if the entity did not exist', async () => {
  const { id } = await createOrder(service)
  const tries = [
    ['GET', '/order'],
    ['GET', `/order/${id}`],
    ['POST', '/order'],
    ['PATCH', `/order/${id}`],
    ['DELETE', `/order/${id}`],
    ['POST', `/order/${id}/takeOwnership`],
    ['GET', `/order/${id}/history`],
    ['POST', '/order/search'],
    ['POST', '/order/export'],
  ] as const
  for (const [method, path] of tries) {
    const body = method === 'PATCH' || path === '/order' ? { body: {} } : {}
    const reply = await ask(method, path, { as: users.nobody, ...(method === 'GET' ? {} : body) })
    assert.equal(reply.status, 404, `${method} ${path}`)
    const unknownPath = path.replace('order', 'ordre')
    const absent = await ask(method, unknownPath, {
      as: users.nobody,
      ...(method === 'GET' ? {} : body),
    })
    const responses = [reply, absent].map(({ status, text }) => {
      const { requestId, ...problem } = JSON.parse(text)
      return JSON.stringify([status, problem]).replaceAll('ordre', 'order')
    })
    assert.equal(responses[0], responses[1], `${method} ${path}`)
    assert.doesNotMatch(responses[1] ?? '', /did you mean/)
  }
})

test('a role with another permission gets a 403 that names the missing one', async () => {
  const { id } = await createOrder(service)
  const reply = await ask('DELETE', `/order/${id}`, { as: users.buyer })
  assert.equal(reply.status, 403)
})

test('a readable record outside of the permission is a 403, an unreadable one a 404', async () => {
  const { id } = await createOrder(service)
  const change = (as: string) => ask('PATCH', `/order/${id}`, { as, body: { notes: 'x' } })
  assert.equal((await change(users.buyer)).status, 403)
  assert.equal((await ask('GET', `/order/${id}`, { as: users.clerk })).status, 404)
})

test('"own" covers what the caller created or owns, in lists, searches and counts', async () => {
  const mine = await createOrder(service, {}, users.clerk)
  await createOrder(service)
  const { data, total } = (
    await ask('POST', '/order/search', { as: users.clerk, body: { $count: true } })
  ).json()
  assert.deepEqual([data.map(({ id }: { id: number }) => id), total], [[mine.id], 1])
  assert.equal(
    (await ask('PATCH', `/order/${mine.id}`, { as: users.clerk, body: { notes: 'x' } })).status,
    200,
  )
})

test('a hidden field cannot be read, set, searched or sorted by, and is not in the history', async () => {
  const { id } = await createOrder(service, { margin: '9.99' })
  await ask('PATCH', `/order/${id}`, { body: { margin: '8.88' } })
  const as = users.buyer
  assert.ok(!('margin' in (await ask('GET', `/order/${id}`, { as })).json()))
  assert.deepEqual(
    invalidPaths(
      await ask('POST', '/order', { as, body: { number: nextNumber(), margin: '1' } }),
      400,
    ),
    ['margin'],
  )
  assert.equal(
    (await ask('POST', '/order/search', { as, body: { $where: { margin: { $gt: '1' } } } })).status,
    400,
  )
  assert.equal((await ask('GET', '/order?sort=margin', { as })).status, 400)
  assert.doesNotMatch((await ask('GET', `/order/${id}/history`, { as })).text, /margin|"8\.88"/)
  assert.doesNotMatch((await ask('GET', '/api/entities/order', { as })).text, /"margin"[^s]*"type"/)
})

test('an unreadable association is unknown in criteria, and its records cannot be linked', async () => {
  const supplier = await createAs(service, 'supplier', { code: 'S9' })
  const body = { number: nextNumber(), supplier_id: supplier.id }
  assert.deepEqual(invalidPaths(await ask('POST', '/order', { as: users.clerk, body }), 422), [
    'supplier_id',
  ])
})

test('only administrators create or change administrators, and no user can remove their role', async () => {
  const role = (
    await ask('POST', '/security_role/search', { body: { $where: { key: 'administrator' } } })
  ).json().data[0]
  const as = users.registrar
  const values = {
    identity_provider_user_id: 'x',
    first_name: 'X',
    last_name: 'Y',
    full_name: 'X Y',
    username: 'x@example.com',
    email: 'x@example.com',
  }
  assert.deepEqual(
    invalidPaths(
      await ask('POST', '/user', { as, body: { ...values, security_role_id: role.id } }),
      422,
    ),
    ['security_role_id'],
  )
  assert.equal(
    (await ask('PATCH', '/user/1', { as, body: { identity_provider_user_id: 'registrar2' } }))
      .status,
    403,
  )
  assert.equal((await ask('DELETE', `/security_role/${role.id}`)).status, 403)
})

test('a blocked user is rejected with the next request', async () => {
  const { data } = (
    await ask('POST', '/user/search', { body: { $where: { email: users.otherBuyer } } })
  ).json()
  assert.equal((await ask('GET', '/order', { as: users.otherBuyer })).status, 200)
  assert.equal(
    (await ask('PATCH', `/user/${data[0].id}`, { body: { is_blocked: true } })).status,
    200,
  )
  assert.equal((await ask('GET', '/order', { as: users.otherBuyer })).status, 401)
})

test('GET /api/me names the parts of the administration to administrators alone', async () => {
  const { administration } = (await ask('GET', '/api/me')).json()
  assert.deepEqual(administration, ['deliveries', 'jobs', 'explain', 'definitions', 'mail'])
})

test('GET /api/me returns the record, role and permissions of the caller', async () => {
  const me = (await ask('GET', '/api/me', { as: users.buyer })).json()
  assert.equal(me.email, users.buyer)
  assert.equal(me.role, 'buyer')
  assert.deepEqual(me.administration, [])
  assert.doesNotMatch(JSON.stringify(me), /margin/)
  assert.equal(me.permissions.salary, undefined)
})
