/** The life of a record from creation to removal and back: versions, system fields, ownership and history, also with many callers at once. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  createAs,
  createOrder,
  invalidPaths,
  nextNumber,
  sharedProject,
  users,
} from '../../support/a-project.ts'
import type { Reply } from '../../support/service.ts'

type Entry = {
  operation: string
  changes: Record<string, { before?: unknown; after: unknown }>
}

const service = await sharedProject()
const { ask } = service
const idOf = async (as?: string): Promise<number> => (await ask('GET', '/api/me', { as })).json().id
const buyerId = await idOf(users.buyer)

const historyOf = async (id: number, as?: string): Promise<Entry[]> =>
  (await ask('GET', `/order/${id}/history`, { as })).json(200).data
const operationsOf = async (id: number, as?: string) =>
  (await historyOf(id, as)).map(({ operation }) => operation)
const change = (id: number, body: object, tag?: string) =>
  ask('PATCH', `/order/${id}`, { body, ...(tag && { headers: { 'If-Match': tag } }) })
const concurrently = (times: number, send: (index: number) => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => send(index)))
const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort()
const search = (body: object, as?: string) => ask('POST', '/order/search', { body, as })
const remove = async (path: string) => {
  const { status, text } = await ask('DELETE', path)
  assert.deepEqual([status, text], [204, ''])
}
const restore = (id: number, as?: string) => ask('POST', `/order/${id}/restore`, { as })
const etagOf = async (id: number) => (await ask('GET', `/order/${id}`)).headers.get('etag')

describe('Create: "201, the record, Location"', () => {
  test('the response equals a read of the record and has the creator in its audit columns', async () => {
    const body = { number: nextNumber() }
    const reply = await ask('POST', '/order', { body, as: users.buyer })
    const record = reply.json()
    assert.equal(reply.headers.get('location'), `/order/${record.id}`)
    const etag = reply.headers.get('etag')
    assert.match(etag ?? '', /^"1\./)
    const { _created_by, _updated_by, _owned_by, _is_deleted } = record
    assert.deepEqual([_created_by, _updated_by, _owned_by], [buyerId, buyerId, buyerId])
    assert.equal(_is_deleted, false)
    assert.equal(record._created_at, record._updated_at)
    const read = await ask('GET', `/order/${record.id}`, { as: users.buyer })
    assert.deepEqual([read.text, read.headers.get('etag')], [reply.text, etag])
  })

  test('a role that may create but not read gets the Location and an empty body', async () => {
    const reply = await ask('POST', '/salary', { body: { amount: '1' }, as: users.nobody })
    assert.deepEqual([reply.status, reply.text], [201, '{}'])
    assert.match(reply.headers.get('location') ?? '', /^\/salary\/\d+$/)
  })
})

test('System fields: "Callers cannot write them", with any value', async () => {
  const audit = ['_created_by', '_updated_by', '_created_at', '_updated_at']
  const { id } = await createOrder(service)
  for (const name of ['id', '_is_deleted', ...audit, '_owned_by', '_version', '_step'])
    for (const value of [1, null]) {
      const body = { [name]: value }
      const created = await ask('POST', '/order', { body: { number: nextNumber(), ...body } })
      assert.deepEqual(invalidPaths(created, 400), [name])
      assert.deepEqual(invalidPaths(await change(id, body), 400), [name])
    }
  assert.equal(await etagOf(id), '"1"')
})

describe('Change: "200, the record"', () => {
  test('a change sets only the named fields, _version, _updated_by and _updated_at', async () => {
    const before = await createOrder(service, { notes: 'a', total: '1' }, users.buyer)
    const reply = await change(before.id, { notes: 'b' })
    const { _updated_at, ...changed } = reply.json()
    const { _updated_at: earlier, ...rest } = before
    assert.ok(_updated_at >= earlier)
    // The administrator sees the margin, the buyer does not.
    assert.deepEqual(changed, { ...rest, margin: null, notes: 'b', _updated_by: await idOf() })
    assert.equal(reply.headers.get('etag'), '"2"')
  })

  test('a change to the current values keeps version, _updated_by and history', async () => {
    const values = {
      group: 'g',
      notes: 'n',
      quantity: 5,
      serial: '9223372036854775807',
      total: '1.5',
      rate: '1.10',
      is_urgent: true,
      needed_by: '2026-05-04',
      urgency: 'low',
      margin: null,
      placed_at: '2026-05-04T10:30:00.120Z',
      extra: { b: 1, a: [null] },
    }
    const { id } = await createOrder(service, values, users.clerk)
    const same = { ...values, total: '1.50', placed_at: '2026-05-04T12:30:00.12+02:00' }
    const reply = await change(id, same)
    assert.deepEqual([reply.status, reply.headers.get('etag')], [200, '"1"'])
    assert.equal(reply.json()._updated_by, await idOf(users.clerk))
    assert.equal((await historyOf(id)).length, 1)
  })

  test('a change without fields is a 400; of a record that does not exist any body is a 404', async () => {
    const { id } = await createOrder(service)
    assert.deepEqual(invalidPaths(await change(id, {}), 400), [''])
    for (const body of [{ notes: 'x' }, { quantity: 0 }, { colour: 'red' }])
      assert.equal((await change(999_999, body)).status, 404)
  })
})

describe('Remove: "204, soft (_is_deleted)"', () => {
  test('the row remains, and a search for removed records finds it', async () => {
    const { id } = await createOrder(service)
    await remove(`/order/${id}`)
    const found = async ($where: object) => (await search({ $where, $count: true })).json().total
    assert.equal(await found({ id }), 0)
    assert.equal(await found({ id, _is_deleted: true }), 1)
    const { rows } = await service.database.pool.query(
      'SELECT operation FROM docket.history WHERE entity_key = $1 AND entity_id = $2 ORDER BY id',
      ['order', id],
    )
    assert.equal(rows.map(({ operation }) => operation).join(), 'create,remove')
  })

  test('a unique value and a unique combination of a removed record can be used again', async () => {
    const order = await createOrder(service)
    const line = { order_id: order.id, position: 1 }
    const { id } = await createAs(service, 'order_line', line)
    const twice = await ask('POST', '/order_line', { body: line })
    assert.deepEqual(invalidPaths(twice, 409), ['position'])
    await remove(`/order_line/${id}`)
    await createAs(service, 'order_line', line)
    await remove(`/order/${order.id}`)
    await createAs(service, 'order', { number: order.number })
  })

  test('a removed record cannot be linked to, but an existing link to it may stay', async () => {
    const first = await createOrder(service)
    const second = await createOrder(service, { follows_id: first.id })
    const other = await createOrder(service)
    await remove(`/order/${first.id}`)
    const link = { follows_id: first.id }
    const created = await ask('POST', '/order', { body: { number: nextNumber(), ...link } })
    assert.deepEqual(invalidPaths(created, 422), ['follows_id'])
    assert.deepEqual(invalidPaths(await change(other.id, link), 422), ['follows_id'])
    const kept = await change(second.id, { notes: 'x' })
    assert.deepEqual([kept.status, kept.json().follows_id], [200, first.id])
    assert.equal((await change(second.id, { notes: 'y', ...link })).status, 200)
    const invalid = await change(second.id, { notes: 'y', ...link, quantity: 0 })
    assert.deepEqual(invalidPaths(invalid, 422), ['quantity'])
  })
})

describe('Take ownership: "200, the record with _owned_by = caller"', () => {
  test('the caller becomes the owner, and the history has the previous owner', async () => {
    const { id } = await createOrder(service)
    const path = `/order/${id}/takeOwnership`
    const reply = await ask('POST', path, { as: users.buyer })
    assert.deepEqual([reply.status, reply.json()._owned_by], [200, buyerId])
    const [entry] = await historyOf(id)
    assert.equal(entry?.operation, 'takeOwnership')
    assert.deepEqual(entry?.changes, { _owned_by: { before: 1, after: buyerId } })
    const again = await ask('POST', path, { as: users.buyer, body: {} })
    assert.equal(again.headers.get('etag'), reply.headers.get('etag'))
  })

  test('entities without ownership do not have this path', async () => {
    const { id } = await createAs(service, 'country', { code: 'AT', name: 'Austria' })
    const reply = await ask('POST', `/country/${id}/takeOwnership`)
    assert.deepEqual([reply.status, reply.json().code], [404, 'request.no-such-path'])
  })
})

describe('Restore, for callers who may remove a record', () => {
  test('a restored record has its earlier values and a new version, and its history has removal and restore', async () => {
    const order = await createOrder(service, { notes: 'Keep me', total: '12.50' })
    await remove(`/order/${order.id}`)
    assert.equal((await ask('GET', `/order/${order.id}`)).status, 404)
    assert.deepEqual(await operationsOf(order.id), ['remove', 'create'])
    const reply = await restore(order.id)
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.headers.get('etag'), '"3"')
    const { _updated_at: _now, ...restored } = reply.json()
    const { _updated_at: _then, ...created } = order
    assert.deepEqual(restored, created)
    assert.deepEqual(await operationsOf(order.id), ['restore', 'remove', 'create'])
  })

  test('restoring a record that is not removed changes nothing', async () => {
    const { id } = await createOrder(service)
    const reply = await restore(id)
    assert.deepEqual([reply.status, reply.headers.get('etag')], [200, '"1"'])
    assert.deepEqual(await operationsOf(id), ['create'])
  })

  test('a restore is a 409 that names what another record has now: a unique value or combination', async () => {
    const supplier = await createAs(service, 'supplier', { code: nextNumber() })
    const combination = { supplier_id: supplier.id, group: 'A' }
    for (const [values, ...paths] of [
      [{ number: nextNumber() }, 'number'],
      [combination, 'group'],
    ] as const) {
      const { id } = await createOrder(service, values)
      await remove(`/order/${id}`)
      const other = await createOrder(service, values)
      const refused = await restore(id)
      assert.deepEqual(invalidPaths(refused, 409), paths)
      const names = Object.keys(values)
      const expected = names.length > 1 ? names : undefined
      assert.deepEqual(refused.json().errors[0].combination, expected)
      assert.equal((await ask('GET', `/order/${id}`)).status, 404)
      await remove(`/order/${other.id}`)
      assert.equal((await restore(id)).status, 200)
    }
  })

  test('the history of a removed record, and its restore, are for who may remove it: "own" covers what the caller created or owns', async () => {
    const own = await createOrder(service, {}, users.buyer)
    const others = await createOrder(service)
    for (const { id } of [own, others]) await remove(`/order/${id}`)
    for (const [{ id }, ...expected] of [
      [others, 404, 403],
      [own, 200, 200],
    ] as const) {
      const history = await ask('GET', `/order/${id}/history`, { as: users.buyer })
      assert.deepEqual([history.status, (await restore(id, users.buyer)).status], expected)
    }
  })

  test('ten concurrent restores add one history entry', async () => {
    const { id } = await createOrder(service)
    await remove(`/order/${id}`)
    const replies = await concurrently(10, () => restore(id))
    assert.deepEqual(statuses(replies), Array(10).fill(200))
    assert.deepEqual(await operationsOf(id), ['restore', 'remove', 'create'])
  })

  test('tasks, which are written below their record, have neither restore nor bulk', async () => {
    const body = { ids: [1], do: { remove: true } }
    assert.equal((await ask('POST', '/task/1/restore')).status, 405)
    assert.equal((await ask('POST', '/task/bulk', { body })).status, 405)
  })
})

describe('The version in a row of a search', () => {
  test('is the number of the entity tag, where $select names it, for every role', async () => {
    for (const as of [undefined, users.clerk, users.buyer]) {
      const { id } = await createOrder(service, { quantity: 1 }, as)
      const find = { $where: { id }, $select: ['_version', 'quantity', 'supplier.name'] }
      const { data } = (await search(find, as)).json()
      assert.deepEqual(data, [{ _version: 1, quantity: 1, supplier: null }])
      const changed = await change(id, { quantity: 2 }, `"${data[0]?._version}"`)
      assert.deepEqual([changed.status, changed.headers.get('etag')], [200, '"2"'])
      const again = (await search({ ...find, $select: ['_version'] }, as)).json()
      assert.deepEqual(again.data, [{ _version: 2 }])
    }
  })

  test('is given nowhere else, and may be named nowhere else', async () => {
    const { id } = await createOrder(service)
    for (const reply of [
      await search({ $where: { id } }),
      await search({ $where: { id }, $select: ['id'] }),
      await ask('GET', `/order/${id}`),
      await ask('GET', '/order'),
    ])
      assert.equal(reply.text.includes('_version'), false)
    for (const [body, path] of [
      [{ $where: { _version: 1 } }, '$where._version'],
      [{ $orderBy: ['_version'] }, '$orderBy[0]'],
      [{ $select: ['supplier._version'] }, '$select[0]'],
      [{ $select: ['_version', '_version'] }, '$select[1]'],
    ] as const)
      assert.deepEqual(invalidPaths(await search(body), 400), [path])
    const exported = await ask('POST', '/order/export', { body: { $select: ['_version'] } })
    assert.deepEqual(invalidPaths(exported, 400), ['$select[0]'])
    assert.deepEqual(invalidPaths(await ask('GET', '/order?sort=_version'), 400), ['sort'])
  })
})

describe('Concurrent callers: no update is lost, none is applied twice, and no two deadlock', () => {
  test('of twenty concurrent creates with one unique value, one succeeds and the others return 409 and name the field', async () => {
    const number = nextNumber()
    const replies = await concurrently(20, () => ask('POST', '/order', { body: { number } }))
    const rejected = replies.filter(({ status }) => status !== 201)
    assert.equal(rejected.length, 19)
    for (const reply of rejected) assert.deepEqual(invalidPaths(reply, 409), ['number'])
  })

  test('of two concurrent changes with the same tag, exactly one succeeds', async () => {
    const { id } = await createOrder(service)
    const replies = await concurrently(2, (index) => change(id, { notes: `by ${index}` }, '"1"'))
    assert.deepEqual(statuses(replies), [200, 412])
    const winner = replies.find(({ status }) => status === 200)?.json()
    assert.equal((await ask('GET', `/order/${id}`)).json().notes, winner.notes)
    assert.equal((await historyOf(id)).length, 2)
  })

  test('of a concurrent change and removal with the same tag, exactly one succeeds', async () => {
    const { id } = await createOrder(service)
    const removal = () => ask('DELETE', `/order/${id}`, { headers: { 'If-Match': '"1"' } })
    const replies = await Promise.all([change(id, { notes: 'x' }, '"1"'), removal()])
    const outcome = replies.map(({ status }) => status).join()
    assert.ok(['200,412', '404,204'].includes(outcome), outcome)
  })

  test('without a tag every concurrent change is applied in turn and recorded in the history', async () => {
    const { id } = await createOrder(service)
    const replies = await concurrently(10, (index) => change(id, { quantity: index + 1 }))
    assert.deepEqual(new Set(statuses(replies)), new Set([200]))
    assert.equal((await ask('GET', `/order/${id}`)).headers.get('etag'), '"11"')
    const changes = (await historyOf(id)).slice(0, 10).map((entry) => entry.changes.quantity)
    for (const [index, one] of changes.entries())
      assert.equal(one?.before, changes[index + 1]?.after ?? null)
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
      [users.buyer, users.otherBuyer].map((as) =>
        ask('POST', `/order/${id}/takeOwnership`, { as }),
      ),
    )
    assert.deepEqual(statuses(replies), [200, 200])
    const owner = (await ask('GET', `/order/${id}`)).json()._owned_by
    const entries = await historyOf(id)
    assert.deepEqual([entries.length, entries[0]?.changes._owned_by?.after], [3, owner])
  })
})
