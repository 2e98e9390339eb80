/** What each permission covers: own records, hidden fields, links to unreadable records, administrators. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  createAs,
  createOrder,
  invalidPaths,
  nextNumber,
  startProject,
  users,
} from '../../support/a-project.ts'
import type { Reply, TestService } from '../../support/service.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await startProject()
  ask = service.ask
})
after(() => service.stop())

const orderRow = async (id: number) =>
  (await service.database.pool.query('SELECT * FROM records."order" WHERE id = $1', [id])).rows[0]

const writes = [
  ['PATCH', { notes: 'x' }],
  ['PATCH', { quantity: 0 }],
  ['PATCH', { number: 'AA-1', supplier_id: 4711 }],
  ['DELETE', undefined],
] as const

describe('Status codes: "403 known caller without the right; 404 also when the caller may not read it"', () => {
  for (const [method, body] of writes)
    test(`${method} ${JSON.stringify(body) ?? ''} of another's record returns 403 when the caller may read it, 404 otherwise`, async () => {
      const { id } = await createOrder(service)
      const before = await orderRow(id)
      const path = `/order/${id}`
      const options = body === undefined ? {} : { body }
      const readable = await ask(method, path, { as: users.buyer, ...options })
      assert.deepEqual([readable.status, readable.json().code], [403, 'caller.forbidden'])
      // The clerk may update and delete all, but reads only what is theirs.
      const unreadable = await ask(method, path, { as: users.clerk, ...options })
      const absent = await ask(method, '/order/4711', { as: users.clerk, ...options })
      assert.deepEqual([unreadable.status, absent.status], [404, 404])
      assert.equal(unreadable.json().detail.replace(`${id}`, '4711'), absent.json().detail)
      assert.deepEqual(await orderRow(id), before)
    })

  test('a caller cannot take ownership of a record that they may not read', async () => {
    const { id } = await createOrder(service)
    const reply = await ask('POST', `/order/${id}/takeOwnership`, { as: users.clerk })
    assert.equal(reply.status, 404)
  })

  test('the permission is checked before the record is looked up', async () => {
    for (const id of ['1', '4711', '99999999999'])
      assert.equal((await ask('DELETE', `/supplier/${id}`, { as: users.buyer })).status, 403)
  })
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

  test('with "own", lists, searches, totals and reads do not contain records of others', async () => {
    const mine = await createOrder(service, { notes: 'mine' }, users.clerk)
    const other = await createOrder(service, { notes: 'not mine' })
    const as = users.clerk
    const idsOf = (reply: Reply) => reply.json().data.map(({ id }: { id: number }) => id)
    assert.ok(!idsOf(await ask('GET', '/order?limit=1000', { as })).includes(other.id))
    const body = { $where: { id: [mine.id, other.id] }, $count: true }
    const found = await ask('POST', '/order/search', { as, body })
    assert.deepEqual([idsOf(found), found.json().total], [[mine.id], 1])
    assert.equal((await ask('GET', `/order/${other.id}`, { as })).status, 404)
  })

  test('a condition on a linked record that the caller may not read matches nothing', async () => {
    const supplier = await createAs(service, 'supplier', { code: 'SECRET' })
    const { id } = await createOrder(service, {}, users.clerk)
    await ask('PATCH', `/order/${id}`, { body: { supplier_id: supplier.id } })
    const body = { $where: { 'supplier.code': { $like: '%' } }, $count: true }
    const reply = await ask('POST', '/order/search', { as: users.clerk, body })
    assert.deepEqual(reply.json(), { data: [], total: 0 })
  })
})

describe('Rights: hidden fields', () => {
  const as = users.buyer
  const places: readonly [string, string, string, object?][] = [
    ['sort', 'GET', '/order?sort=-margin'],
    ['$where.margin', 'POST', '/order/search', { $where: { margin: '1' } }],
    [
      '$where.$not.margin.$null',
      'POST',
      '/order/search',
      { $where: { $not: { margin: { $null: true } } } },
    ],
    ['$where.follows.margin', 'POST', '/order/search', { $where: { 'follows.margin': '1' } }],
    ['$orderBy[0]', 'POST', '/order/search', { $orderBy: ['margin'] }],
    ['$select[0]', 'POST', '/order/search', { $select: ['margin'] }],
    ['$where.order.margin', 'POST', '/order_line/search', { $where: { 'order.margin': '1' } }],
    ['margin', 'POST', '/order', { number: 'AA-9', margin: '1' }],
    ['margin', 'POST', '/order', { number: 'AA-9', margin: null }],
  ]
  for (const [path, method, target, body] of places)
    test(`${method} ${target} ${JSON.stringify(body) ?? ''} is rejected like an unknown name`, async () => {
      const options = body === undefined ? {} : { body }
      const reply = await ask(method, target, { as, ...options })
      assert.deepEqual(invalidPaths(reply, 400), [path])
      // The message equals that for a name that does not exist.
      const message = reply.json().errors[0].message
      const other = await ask(method, target.replace('margin', 'morgin'), {
        as,
        ...JSON.parse(JSON.stringify(options).replace('margin', 'morgin')),
      })
      assert.equal(other.json().errors[0].message, message.replaceAll('margin', 'morgin'))
    })

  test('reads, lists, includes and responses to writes omit hidden fields, which keep their values', async () => {
    const { id } = await createOrder(service, {}, as)
    await ask('PATCH', `/order/${id}`, { body: { margin: '98765.43' } })
    const follower = await createOrder(service, { follows_id: id }, as)
    for (const reply of [
      await ask('GET', `/order/${id}`, { as }),
      await ask('GET', '/order?limit=1000', { as }),
      await ask('GET', `/order/${follower.id}?include=follows`, { as }),
      await ask('POST', '/order/search', { as }),
      await ask('PATCH', `/order/${id}`, { as, body: { notes: 'x' } }),
      await ask('POST', `/order/${id}/takeOwnership`, { as }),
      await ask('GET', `/order/${id}/history`, { as }),
    ]) {
      assert.equal(reply.status, 200)
      assert.doesNotMatch(reply.text, /margin|98765/)
    }
    assert.equal((await orderRow(id)).margin, '98765.43')
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
  const search = await ask('POST', '/user/search', { body: { $where: { email: users.nobody } } })
  const path = `/user/${search.json().data[0].id}`
  const readAs = async () => (await ask('GET', '/order', { as: users.nobody })).status
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
