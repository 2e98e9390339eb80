/** The life of a record from creation to removal: versions, system fields, ownership and history. */
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
import type { TestService } from '../../support/service.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await sharedProject()
  ask = service.ask
})

const idOf = async (email: string): Promise<number> =>
  (await ask('GET', '/api/me', { as: email })).json().id

type Entry = {
  operation: string
  changes: Record<string, { before?: unknown; after: unknown }>
  user: { id: number; full_name: string } | null
  at: string
}

const historyOf = async (path: string, as?: string): Promise<Entry[]> => {
  const reply = await ask('GET', `${path}/history`, as === undefined ? {} : { as })
  assert.equal(reply.status, 200, reply.text)
  return reply.json().data
}

describe('Create: "201, the record, Location"', () => {
  test('the response equals a read of the record and has the creator in its audit columns', async () => {
    const body = { number: nextNumber() }
    const reply = await ask('POST', '/order', { body, as: users.buyer })
    const record = reply.json()
    const buyer = await idOf(users.buyer)
    assert.equal(reply.headers.get('location'), `/order/${record.id}`)
    assert.equal(reply.headers.get('etag'), '"1"')
    assert.deepEqual(
      [record._created_by, record._updated_by, record._owned_by, record._is_deleted],
      [buyer, buyer, buyer, false],
    )
    assert.equal(record._created_at, record._updated_at)
    const read = await ask('GET', `/order/${record.id}`, { as: users.buyer })
    assert.equal(read.text, reply.text)
    assert.equal(read.headers.get('etag'), '"1"')
  })

  test('a role that may create but not read gets the Location and an empty body', async () => {
    const reply = await ask('POST', '/salary', { body: { amount: '1' }, as: users.nobody })
    assert.deepEqual([reply.status, reply.text], [201, '{}'])
    assert.match(reply.headers.get('location') ?? '', /^\/salary\/\d+$/)
  })
})

describe('System fields: "Callers cannot write them"', () => {
  const names = [
    'id',
    '_is_deleted',
    '_created_by',
    '_updated_by',
    '_created_at',
    '_updated_at',
    '_owned_by',
    '_version',
    '_step',
  ]
  for (const name of names)
    test(`create and change reject ${name} with any value`, async () => {
      const { id } = await createOrder(service)
      for (const value of [1, null, '2020-01-01T00:00:00Z', true]) {
        const body = { [name]: value }
        const created = await ask('POST', '/order', { body: { number: nextNumber(), ...body } })
        assert.deepEqual(invalidPaths(created, 400), [name])
        assert.deepEqual(invalidPaths(await ask('PATCH', `/order/${id}`, { body }), 400), [name])
      }
      assert.equal((await ask('GET', `/order/${id}`)).headers.get('etag'), '"1"')
    })
})

describe('Change: "200, the record"', () => {
  test('a change sets only the named fields, _version, _updated_by and _updated_at', async () => {
    const before = await createOrder(service, { notes: 'a', total: '1' }, users.buyer)
    const reply = await ask('PATCH', `/order/${before.id}`, { body: { notes: 'b' } })
    const { _updated_at, ...changed } = reply.json()
    const { _updated_at: earlier, ...rest } = before
    assert.ok(_updated_at >= earlier)
    const administrator = (await ask('GET', '/api/me')).json().id
    // The administrator sees the margin, the buyer does not.
    assert.deepEqual(changed, { ...rest, margin: null, notes: 'b', _updated_by: administrator })
    assert.equal(reply.headers.get('etag'), '"2"')
  })

  const currentValues = {
    group: 'g',
    notes: 'n',
    quantity: 5,
    serial: '9223372036854775807',
    total: '1.5',
    rate: '1.10',
    is_urgent: true,
    needed_by: '2026-05-04',
    placed_at: '2026-05-04T10:30:00.120Z',
    urgency: 'low',
    extra: { b: 1, a: [null] },
    margin: null,
  }

  test('a change to the current values keeps version, _updated_by and history', async () => {
    const { id } = await createOrder(service, currentValues, users.clerk)
    const sameValues = {
      ...currentValues,
      total: '1.50',
      placed_at: '2026-05-04T12:30:00.12+02:00',
    }
    const reply = await ask('PATCH', `/order/${id}`, { body: sameValues })
    assert.deepEqual([reply.status, reply.headers.get('etag')], [200, '"1"'])
    assert.equal(reply.json()._updated_by, await idOf(users.clerk))
    assert.equal((await historyOf(`/order/${id}`)).length, 1)
  })

  test('a change without fields returns 400', async () => {
    const { id } = await createOrder(service)
    assert.deepEqual(invalidPaths(await ask('PATCH', `/order/${id}`, { body: {} }), 400), [''])
  })

  test('a change of a record that does not exist returns 404 for any body', async () => {
    for (const body of [{ notes: 'x' }, { quantity: 0 }, { colour: 'red' }])
      assert.equal((await ask('PATCH', '/order/4711', { body })).status, 404)
  })
})

describe('Remove: "204, soft (_is_deleted)"', () => {
  test('the row remains, and a search for removed records finds it', async () => {
    const { id } = await createOrder(service)
    const removed = await ask('DELETE', `/order/${id}`)
    assert.deepEqual([removed.status, removed.text], [204, ''])
    const found = async ($where: object) =>
      (await ask('POST', '/order/search', { body: { $where, $count: true } })).json().total
    assert.equal(await found({ id }), 0)
    assert.equal(await found({ id, _is_deleted: true }), 1)
    const { rows } = await service.database.pool.query(
      'SELECT operation FROM docket.history WHERE entity_key = $1 AND entity_id = $2 ORDER BY id',
      ['order', id],
    )
    assert.deepEqual(
      rows.map(({ operation }) => operation),
      ['create', 'remove'],
    )
  })

  test('a unique value and a unique combination of a removed record can be used again', async () => {
    const order = await createOrder(service)
    const line = { order_id: order.id, position: 1 }
    const { id } = await createAs(service, 'order_line', line)
    const twice = await ask('POST', '/order_line', { body: line })
    assert.deepEqual(invalidPaths(twice, 409), ['order_id', 'position'])
    await ask('DELETE', `/order_line/${id}`)
    await createAs(service, 'order_line', line)
    await ask('DELETE', `/order/${order.id}`)
    await createAs(service, 'order', { number: order.number })
  })

  test('a removed record cannot be linked to, but an existing link to it may stay', async () => {
    const first = await createOrder(service)
    const second = await createOrder(service, { follows_id: first.id })
    await ask('DELETE', `/order/${first.id}`)
    const body = { number: nextNumber(), follows_id: first.id }
    assert.deepEqual(invalidPaths(await ask('POST', '/order', { body }), 422), ['follows_id'])
    const other = await createOrder(service)
    const link = await ask('PATCH', `/order/${other.id}`, { body: { follows_id: first.id } })
    assert.deepEqual(invalidPaths(link, 422), ['follows_id'])
    const kept = await ask('PATCH', `/order/${second.id}`, { body: { notes: 'x' } })
    assert.deepEqual([kept.status, kept.json().follows_id], [200, first.id])
    const withLink = { notes: 'y', follows_id: first.id }
    assert.equal((await ask('PATCH', `/order/${second.id}`, { body: withLink })).status, 200)
    const invalidQuantity = { ...withLink, quantity: 0 }
    const invalid = await ask('PATCH', `/order/${second.id}`, { body: invalidQuantity })
    assert.deepEqual(invalidPaths(invalid, 422), ['quantity'])
  })
})

describe('Take ownership: "200, the record with _owned_by = caller"', () => {
  test('the caller becomes the owner, and the history has the previous owner', async () => {
    const { id } = await createOrder(service)
    const reply = await ask('POST', `/order/${id}/takeOwnership`, { as: users.buyer })
    const buyer = await idOf(users.buyer)
    assert.deepEqual([reply.status, reply.json()._owned_by], [200, buyer])
    const [entry] = await historyOf(`/order/${id}`)
    assert.equal(entry?.operation, 'takeOwnership')
    assert.deepEqual(entry?.changes, { _owned_by: { before: 1, after: buyer } })
    const again = await ask('POST', `/order/${id}/takeOwnership`, { as: users.buyer, body: {} })
    assert.equal(again.headers.get('etag'), reply.headers.get('etag'))
  })

  test('entities without ownership do not have this path', async () => {
    const { id } = await createAs(service, 'country', { code: 'AT', name: 'Austria' })
    const reply = await ask('POST', `/country/${id}/takeOwnership`)
    assert.deepEqual([reply.status, reply.json().code], [404, 'request.no-such-path'])
  })
})
