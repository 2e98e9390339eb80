/** What each permission covers: own records, hidden fields, links to unreadable records, administrators. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  addOwnUser,
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

describe('Rights: "own means records that the caller created or owns"', () => {
  test('"own" covers the creator and, after takeOwnership, the owner too', async () => {
    const { id } = await createOrder(service, {}, users.buyer)
    const change = (as: string) => ask('PATCH', `/order/${id}`, { as, body: { notes: as } })
    const statuses = async () => [
      (await change(users.buyer)).status,
      (await change(users.otherBuyer)).status,
    ]
    assert.deepEqual(await statuses(), [200, 403])
    await ask('POST', `/order/${id}/takeOwnership`, { as: users.otherBuyer })
    assert.deepEqual(await statuses(), [200, 200])
    assert.equal((await ask('DELETE', `/order/${id}`, { as: users.otherBuyer })).status, 204)
  })

  test('values are checked only for callers who may write the record', async () => {
    const { id } = await createOrder(service)
    for (const body of [{ quantity: 0 }, { number: 'AA-1', supplier_id: 4711 }]) {
      const change = (as: string) => ask('PATCH', `/order/${id}`, { as, body })
      assert.deepEqual(
        [(await change(users.buyer)).status, (await change(users.clerk)).status],
        [403, 404],
      )
    }
  })
})

describe('Rights: links only to records that the caller may read', () => {
  test('a link to an unreadable record gives the same error as a link to one that does not exist', async () => {
    const { id } = await createAs(service, 'supplier', { code: 'OTHER' })
    const link = async (supplier: number) => {
      const body = { number: nextNumber(), supplier_id: supplier }
      const reply = await ask('POST', '/order', { as: users.clerk, body })
      assert.deepEqual(invalidPaths(reply, 422), ['supplier_id'])
      return reply.json().errors[0].message.replace(`${supplier}`, 'n')
    }
    assert.equal(await link(id), await link(4711))
    const own = await createAs(service, 'supplier', { code: 'OWN' }, users.clerk)
    await createOrder(service, { supplier_id: own.id }, users.clerk)
  })
})

describe('Rights: "only administrators hand out the administrator role or change administrators"', () => {
  const as = users.registrar
  const person = (name: string, role: number) => ({
    identity_provider_user_id: name,
    first_name: name,
    last_name: 'Example',
    full_name: `${name} Example`,
    username: `${name}@example.com`,
    email: `${name}@example.com`,
    security_role_id: role,
  })
  const roleId = async (key: string): Promise<number> =>
    (await ask('POST', '/security_role/search', { body: { $where: { key } } })).json().data[0].id

  test('a registrar may create users of every role except administrator', async () => {
    const buyer = await ask('POST', '/user', { as, body: person('new', await roleId('buyer')) })
    assert.equal(buyer.status, 201, buyer.text)
    const administrator = await roleId('administrator')
    const body = person('second', administrator)
    assert.deepEqual(invalidPaths(await ask('POST', '/user', { as, body }), 422), [
      'security_role_id',
    ])
    const path = `/user/${buyer.json().id}`
    const promoted = await ask('PATCH', path, { as, body: { security_role_id: administrator } })
    assert.deepEqual(invalidPaths(promoted, 422), ['security_role_id'])
    const byAdministrator = await ask('PATCH', path, { body: { security_role_id: administrator } })
    assert.equal(byAdministrator.status, 200)
    for (const [method, options] of [
      ['PATCH', { body: { identity_provider_user_id: 'registrar-2' } }],
      ['PATCH', { body: { is_blocked: true } }],
      ['DELETE', {}],
    ] as const)
      assert.equal((await ask(method, path, { as, ...options })).status, 403)
  })

  test('no role can get the key "administrator", and nobody may change or remove the administrator role', async () => {
    const administrator = `/security_role/${await roleId('administrator')}`
    const own = `/security_role/${await roleId('registrar')}`
    const key = { key: 'administrator' }
    for (const caller of [users.registrar, 'admin@example.com']) {
      const renamed = await ask('PATCH', administrator, { as: caller, body: { key: 'other' } })
      assert.equal(renamed.status, 403)
      assert.equal((await ask('DELETE', administrator, { as: caller })).status, 403)
      assert.equal((await ask('PATCH', own, { as: caller, body: key })).status, 409)
      const body = { ...key, name: 'Second' }
      assert.equal((await ask('POST', '/security_role', { as: caller, body })).status, 409)
    }
  })
})

test('a change of role or status takes effect with the next request', async () => {
  const as = await addOwnUser(service, 'nobody')
  const search = await ask('POST', '/user/search', { body: { $where: { email: as } } })
  const path = `/user/${search.json().data[0].id}`
  const readAs = async () => (await ask('GET', '/order', { as })).status
  const { rows } = await service.database.pool.query(
    `SELECT id FROM records.security_role WHERE key = 'buyer'`,
  )
  assert.equal(await readAs(), 404)
  await ask('PATCH', path, { body: { security_role_id: rows[0]?.id } })
  assert.equal(await readAs(), 200)
  await ask('PATCH', path, { body: { is_active: false } })
  assert.equal(await readAs(), 401)
  await ask('PATCH', path, { body: { is_active: true } })
  assert.equal(await readAs(), 200)
  await ask('DELETE', path)
  assert.equal(await readAs(), 401)
})
