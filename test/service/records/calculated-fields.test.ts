/** Formulas and rollups: they follow what they are calculated from, exactly, whatever writes, and nobody writes them or learns from them. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { buyer, counter, startCalculated } from '../../support/records/a-calculated-project.ts'
import type { Reply } from '../../support/service.ts'

const { service, ask, create, orderOf } = await startCalculated()
after(() => service.stop())

const price = (order_id: number, value: string) => ({ order_id, price: value })
const read = async (path: string) => (await ask('GET', path)).json()
const tagOf = async (id: number) => (await ask('GET', `/order/${id}`)).headers.get('ETag')

describe('a formula', () => {
  test('is calculated exactly and rounded half up, when a record is created and when it is changed', async () => {
    const { id, amount } = await create('line', { quantity: 3, price: '0.3350', discount: '0' })
    assert.equal(amount, '1.01')
    const change = async (body: object) => (await ask('PATCH', `/line/${id}`, { body })).json()
    assert.equal((await change({ discount: '33.33' })).amount, '0.67')
    assert.equal((await change({ quantity: 1000000, price: '9999.9999' })).amount, '6666999933.33')
  })

  test('is empty without an operand, and where it would divide by zero; it adds days to a date', async () => {
    const { id, amount } = await create('line', { quantity: null, price: '1' })
    assert.equal(amount, null)
    const { share } = (await ask('PATCH', `/line/${id}`, { body: { quantity: 0 } })).json()
    assert.equal(share, null)
    const dated = await create('line', { ordered_on: '2028-02-27', days: 3 })
    assert.equal(dated.delivered_on, '2028-03-01')
  })

  test('whose result does not fit is a 422 that names its field, and nothing is written', async () => {
    const { id } = await create('line', { price: '1' })
    for (const body of [
      { quantity: 2147483647, price: '99999999' },
      { ordered_on: '9999-12-31', days: 1 },
      { ordered_on: '2028-01-01', days: 2147483647 },
    ]) {
      const reply = await ask('PATCH', `/line/${id}`, { body })
      assert.deepEqual([reply.status, reply.json().code], [422, 'record.invalid'], reply.text)
      assert.match(reply.json().errors[0].message, /^is calculated, and the result does not fit$/)
    }
    const { amount, ordered_on: day } = await read(`/line/${id}`)
    assert.deepEqual([amount, day], ['1.00', null])
  })

  test('is found, sorted, added and exported like any other field', async () => {
    const { id } = await create('order', { number: 'F-1', rate: '2' })
    await create('line', price(id, '7.77'))
    const body = { $where: { total_eur: '15.54' }, $select: ['number', 'total', 'vat_eur'] }
    const csv = await ask('POST', '/order/export', { body })
    assert.match(csv.text, /\nF-1,7\.77,3\.89\r?\n$/)
  })
})

test('nobody writes a calculated field', async () => {
  const { id } = await create('order', {})
  for (const [method, path, body] of [
    ['POST', '/order', { total: '1.00' }],
    ['PATCH', `/order/${id}`, { total: '1.00' }],
    ['PATCH', `/order/${id}`, { total: null }],
  ] as const) {
    assert.deepEqual((await ask(method, path, { body })).json(400).errors, [
      { path: 'total', message: 'is calculated by the service and cannot be written' },
    ])
  }
  const bulk = { ids: [id], do: { change: { total: '1.00' } } }
  assert.equal((await ask('POST', '/order/bulk', { body: bulk })).status, 400)
})

test('nobody learns from a formula what their role may not see', async () => {
  type Field = { isCalculated: boolean; calculatedFrom?: unknown; formula?: unknown }
  const fieldsOf = async (who: object) => {
    const { fields } = (await ask('GET', '/api/entities/order', who)).json()
    const entries = fields.map((field: { key: string }) => [field.key, field])
    return Object.fromEntries(entries) as Record<string, Field & { rollup?: unknown }>
  }
  const all = await fieldsOf({})
  assert.equal(all.total_eur?.formula, 'total * rate')
  assert.deepEqual(all.total?.rollup, { sum: 'lines.amount' })
  assert.equal(all.rate?.isCalculated, false)
  const some = await fieldsOf(counter)
  assert.deepEqual([some.total, some.rate], [undefined, undefined])
  assert.deepEqual([some.total_eur?.isCalculated, some.total_eur?.formula], [true, null])
  const inputs = [all.vat_eur, some.vat_eur, all.total, all.rate].map((one) => one?.calculatedFrom)
  assert.deepEqual(inputs, [['rate'], [], [], undefined])
  assert.deepEqual(some.cheapest?.rollup, { min: 'lines.price' })
  const { id } = await create('line', { price: '1' })
  const body = { quantity: 2147483647, price: '99999999' }
  const reply = await ask('PATCH', `/line/${id}`, { ...counter, body })
  assert.deepEqual(reply.json().errors, [
    { path: '', message: 'is calculated, and the result does not fit' },
  ])
  assert.doesNotMatch(reply.text, /amount/)
})

test('a new record has its calculated fields in its history, and in what says whom it would notify', async () => {
  const { id } = await create('order', { rate: '5' })
  const [created] = (await read(`/order/${id}/history`)).data
  assert.deepEqual(created.changes.vat_eur, { after: '0.00' })
  const countOf = async (body: object) => {
    const asked = { entityKey: 'order', ...body }
    return (await ask('POST', '/api/notifications/recipients', { body: asked })).json().count
  }
  assert.equal(await countOf({ operation: 'create', values: { rate: '5' } }), 1)
  await create('line', price(id, '100.00'))
  const acted = { operation: 'proceedToStep', action: 'submit', entityIds: [id] }
  assert.equal(await countOf({ ...acted, values: { rate: '3.9' } }), 0)
  assert.equal(await countOf({ ...acted, values: { rate: '4' } }), 1)
  // Of records that would be refused, because a result does not fit, nobody is notified.
  const fits = await create('order', { rate: '5' })
  await create('line', price(fits.id, '0.01'))
  await create('line', price(id, '9999999.00'))
  const rate = '999999.9999'
  assert.equal(await countOf({ ...acted, entityIds: [id, fits.id], values: { rate } }), 1)
  assert.equal(await countOf({ ...acted, values: { rate } }), 0)
})

describe('a rollup', () => {
  test('follows lines that are created, changed, moved, removed and restored', async () => {
    const [one, other] = [await create('order', { number: 'R-1' }), await create('order', {})]
    assert.deepEqual([one.total, one.line_count, one.last_delivery], ['0.00', 0, null])
    const dated = { ordered_on: '2028-01-01', days: 9 }
    const { id } = await create('line', { ...price(one.id, '10.00'), ...dated })
    await create('line', price(one.id, '5.00'))
    const { total, line_count: count, last_delivery: last, cheapest } = await orderOf(one.id)
    assert.deepEqual([total, count, last, cheapest], ['15.00', 2, '2028-01-10', '5.0000'])
    for (const [method, path, body, ...totals] of [
      ['PATCH', '', { quantity: 2 }, '25.00', '0.00'],
      ['PATCH', '', { order_id: other.id }, '5.00', '20.00'],
      ['DELETE', '', undefined, '5.00', '0.00'],
      ['POST', '/restore', undefined, '5.00', '20.00'],
      ['PATCH', '', { order_id: null }, '5.00', '0.00'],
    ] as const) {
      await ask(method, `/line/${id}${path}`, { body })
      const sums = [(await orderOf(one.id)).total, (await orderOf(other.id)).total]
      assert.deepEqual(sums, totals, `${method} ${path}`)
    }
  })

  test('is a change of its record, with history by who wrote the line, formulas and rollups above', async () => {
    const customer = await create('customer', { name: 'Adria' })
    const { id } = await create('order', { customer_id: customer.id, rate: '2' })
    const before = await tagOf(id)
    await create('line', price(id, '10.00'), buyer)
    assert.notEqual(await tagOf(id), before)
    const { total_eur: euros, vat_eur: vat, _updated_by: by } = await orderOf(id)
    assert.deepEqual([euros, vat], ['20.00', '5.00'])
    const [entry] = (await read(`/order/${id}/history`)).data
    assert.deepEqual([entry.user.id, entry.user.full_name], [by, 'buyer Example'])
    assert.deepEqual(entry.changes, {
      total: { before: '0.00', after: '10.00' },
      line_count: { before: 0, after: 1 },
      cheapest: { before: null, after: '10.0000' },
      total_eur: { before: '0.00', after: '20.00' },
      vat_eur: { before: '0.00', after: '5.00' },
    })
    assert.equal((await read(`/customer/${customer.id}`)).ordered, '20.00')
    await ask('PATCH', `/order/${id}`, { body: { rate: '3' } })
    assert.equal((await read(`/customer/${customer.id}`)).ordered, '30.00')
  })

  test('does not change its record when the result stays', async () => {
    const { id } = await create('order', {})
    const line = await create('line', price(id, '1.00'))
    const before = await tagOf(id)
    await ask('PATCH', `/line/${line.id}`, { body: { code: 'stays' } })
    assert.equal(await tagOf(id), before)
  })

  test('that does not fit refuses the line, and names nothing of the record above', async () => {
    const { id } = await create('order', { rate: '9999' })
    assert.deepEqual(
      (await ask('POST', '/line', { body: price(id, '9999999.00') })).json(422).errors,
      [
        {
          path: 'amount',
          message: 'makes a value too large that another record calculates from it',
        },
      ],
    )
    assert.equal((await orderOf(id)).total, '0.00')
    const { id: negative } = await create('line', price(id, '-50000.00'))
    await create('line', price(id, '50000.00'))
    await ask('PATCH', `/order/${id}`, { body: { rate: '999999' } })
    const refused = await ask('DELETE', `/line/${negative}`)
    assert.match(refused.json(422).errors[0].message, /^makes a value too large/)
    const together = await ask('POST', '/line/bulk', { body: { remove: [{ id: negative }] } })
    assert.equal(together.status, 422, together.text)
    const { counts } = (
      await ask('POST', '/line/bulk', { body: { ids: [negative], do: { remove: true } } })
    ).json()
    assert.equal(counts, undefined)
    assert.equal((await orderOf(id)).total, '0.00')
  })

  test('is calculated once for a bulk write, and not by a dry run', async () => {
    const { id } = await create('order', {})
    const ids: number[] = []
    for (let at = 0; at < 5; at++) ids.push((await create('line', price(id, '2.00'))).id)
    const bulk = (dryRun: boolean, change: object) =>
      ask('POST', '/line/bulk', { body: { ids, do: { change }, dryRun } })
    assert.equal((await bulk(true, { quantity: 4 })).status, 200)
    assert.equal((await orderOf(id)).total, '10.00')
    const entries = async () => (await read(`/order/${id}/history`)).data.length
    const before = await entries()
    const reply = await bulk(false, { quantity: 3 })
    assert.equal(reply.json().counts.done, 5, reply.text)
    assert.equal((await orderOf(id)).total, '30.00')
    assert.equal(await entries(), before + 1)
    const tooLarge = await bulk(false, { quantity: 2147483647, price: '4.00' })
    assert.equal(tooLarge.status, 422, tooLarge.text)
    assert.equal((await orderOf(id)).total, '30.00')
    const create100 = Array.from({ length: 100 }, () => price(id, '1.00'))
    const created = await ask('POST', '/line/bulk', { body: { create: create100 } })
    assert.equal(created.json(200).counts.done, 100)
    assert.deepEqual([(await orderOf(id)).total, await entries()], ['130.00', before + 2])
  })
})

test('a bulk write answers the versions that its records have when all is calculated', async () => {
  const bulk = async (body: object) => {
    const { data } = (await ask('POST', '/customer/bulk', { body })).json(200)
    return data.map(({ version }: { version: number }) => version)
  }
  const [one, other] = [await create('customer', {}), await create('customer', {})]
  const branch = { name: 'Branch', parent_id: one.id }
  const change = [{ id: one.id, name: 'Whole' }]
  assert.deepEqual(await bulk({ change, create: [branch] }), [3, 1])
  assert.deepEqual(await bulk({ change: [{ id: one.id, _version: 3, name: 'Head' }] }), [4])
  const [{ id: below }] = (
    await ask('POST', '/customer/search', { body: { $where: { parent: one.id } } })
  ).json(200).data
  const move = { ids: [one.id, below], do: { change: { parent_id: other.id } } }
  assert.deepEqual(await bulk(move), [6, 2])
})

describe('an order with its lines', () => {
  const put = (id: number, body: object, options: object = {}) =>
    ask('PATCH', `/order/${id}`, { ...options, body })
  const linesOf = async (id: number) => {
    const body = {
      $where: { order: id },
      $orderBy: ['id'],
      $select: ['code', 'amount', '_version'],
    }
    return (await ask('POST', '/line/search', { body })).json(200).data
  }
  const issuesOf = (reply: Reply, status: number) =>
    reply.json(status).errors.map(({ path }: { path: string }) => path)
  const count = async (table: string) =>
    (await service.database.pool.query(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n

  test('is created at once: the answer has what is calculated from them, and rollups above follow in one change', async () => {
    const customer = await create('customer', { name: 'Jadran' })
    const lines = {
      create: [
        { code: 'A-1', price: '2.00' },
        { code: 'A-2', price: '3.00' },
      ],
    }
    const body = { number: 'A', customer_id: customer.id, lines }
    const headers = { 'Idempotency-Key': 'order-with-lines' }
    const first = await ask('POST', '/order', { headers, body })
    const { id, total, line_count: lineCount, lines: answered } = first.json(201)
    assert.deepEqual([total, lineCount, answered], ['5.00', 2, undefined])
    assert.equal(first.headers.get('ETag'), await tagOf(id))
    const again = await ask('POST', '/order', { headers, body })
    assert.deepEqual([again.json(201).id, again.headers.get('Idempotency-Replayed')], [id, 'true'])
    assert.equal((await linesOf(id)).length, 2)
    assert.equal((await read(`/order/${id}/history`)).data.length, 2)
    assert.equal((await read(`/customer/${customer.id}/history`)).data.length, 2)
    assert.equal((await read(`/customer/${customer.id}`)).ordered, '5.00')
  })

  test('of many is one change of their customer, except where a condition asks what is calculated', async () => {
    const customer = await create('customer', { name: 'Many' })
    const order = (...prices: readonly string[]) => ({
      customer_id: customer.id,
      lines: { create: prices.map((value) => ({ price: value })) },
    })
    const orders = { create: [order('1', '2'), order('3'), { customer_id: customer.id }] }
    const { data } = (await ask('POST', '/order/bulk', { body: orders })).json(200)
    const totals = []
    for (const { id, version } of data) {
      totals.push((await orderOf(id)).total)
      assert.equal(await tagOf(id), `"${version}"`)
    }
    assert.deepEqual(totals, ['3.00', '3.00', '0.00'])
    assert.equal((await read(`/customer/${customer.id}/history`)).data.length, 2)
    const now = await ask('GET', `/customer/${customer.id}`)
    assert.deepEqual([now.json().ordered, now.headers.get('ETag')], ['6.00', '"2"'])
    // A buyer orders for at most 100.
    const asBuyer = (body: object) => ask('POST', '/order/bulk', { ...buyer, body })
    const tooMuch = await asBuyer({ create: [order('50', '44'), order('0.01')] })
    assert.deepEqual(issuesOf(tooMuch, 403), ['create[1]'])
    await asBuyer({ create: [order('50', '43.99'), order('0.01')] })
    assert.equal((await read(`/customer/${customer.id}`)).ordered, '100.00')
    const tooLarge = order(...Array(101).fill('99999999'))
    const refused = await ask('POST', '/order/bulk', { body: { create: [order('1'), tooLarge] } })
    assert.deepEqual(issuesOf(refused, 422), ['create[1]'])
  })

  test('is changed at once: removed unique values are free, a repeated request writes once, and a line alone is enough', async () => {
    const { id } = await create('order', {})
    const old = await create('line', { ...price(id, '1.00'), code: 'B-1' })
    const kept = await create('line', { ...price(id, '1.00'), code: 'B-2' })
    const lines = {
      create: [{ code: 'B-1', price: '7.00' }],
      change: [{ id: kept.id, _version: 1, quantity: 2 }],
      remove: [{ id: old.id, _version: 1 }],
    }
    const headers = { 'Idempotency-Key': 'changed-with-lines' }
    const changed = await put(id, { number: 'B', lines }, { headers })
    assert.deepEqual([changed.json(200).total, changed.json().number], ['9.00', 'B'])
    assert.equal((await put(id, { number: 'B', lines }, { headers })).text, changed.text)
    assert.deepEqual(
      (await linesOf(id)).map(({ code, amount }: { code: string; amount: string }) => [
        code,
        amount,
      ]),
      [
        ['B-2', '2.00'],
        ['B-1', '7.00'],
      ],
    )
    const only = await put(id, { lines: { change: [{ id: kept.id, code: 'B-3' }] } })
    assert.equal(only.json(200).total, '9.00')
  })

  test('is refused as a whole, with every fault by its place', async () => {
    const { id } = await create('order', {})
    const taken = await create('line', { ...price(id, '1.00'), code: 'C-1' })
    const foreign = await create('line', { code: 'C-2' })
    const before = [await count('records.line'), await count('docket.history')]
    const large = { quantity: 100, price: '99999999.00' }
    const create2 = { create: [{ price: '1.00' }, { code: 'C-1' }] }
    for (const [lines, status, ...paths] of [
      [
        { create: [{ price: 'x' }, 3, { order_id: id, colour: 1 }] },
        400,
        'lines.create[0].price',
        'lines.create[1]',
        'lines.create[2].order_id',
        'lines.create[2].colour',
      ],
      [create2, 409, 'lines.create[1].code'],
      [
        {
          change: [
            { id: foreign.id, code: 'X' },
            { id: 2000000000, code: 'X' },
          ],
        },
        422,
        'lines.change[0].id',
        'lines.change[1].id',
      ],
      [
        { change: [{ id: taken.id, _version: 7, code: 'X' }], remove: [{ id: taken.id }] },
        400,
        'lines.change[0].id',
      ],
      [{ change: [{ id: taken.id, _version: 7, code: 'X' }] }, 412, 'lines.change[0]'],
      [{ remove: [taken.id], add: [] }, 400, 'lines.add', 'lines.remove[0]'],
      [{ create: [{ quantity: 2147483647, price: '99999999' }] }, 422, 'lines.create[0].amount'],
      [{ create: [large, large] }, 422, ''],
      [{ create: Array(1001).fill({}) }, 400, ''],
      ['all', 400, 'lines'],
    ] as const)
      assert.deepEqual(issuesOf(await put(id, { number: 'C', lines }), status), paths)
    assert.deepEqual(issuesOf(await put(id, { rate: 'x', lines: create2 }), 400), ['rate'])
    for (const body of [{ lines: { remove: [] } }, { number: 'C', lines: create2 }])
      assert.ok((await ask('POST', '/order', { body })).status >= 400)
    const several = await ask('POST', '/order/bulk', {
      body: { create: [{ lines: { create: [{ price: '1.00' }] } }, { lines: create2 }] },
    })
    assert.deepEqual(issuesOf(several, 409), ['create[1].lines.create[1].code'])
    const bulk = { ids: [id], do: { change: { lines: create2 } } }
    assert.deepEqual(issuesOf(await ask('POST', '/order/bulk', { body: bulk }), 400), [
      'do.change.lines',
    ])
    assert.deepEqual([await count('records.line'), await count('docket.history')], before)
    assert.equal((await orderOf(id)).number, null)
  })

  test('needs the rights on both, and meets the conditions of each line', async () => {
    const lines = { create: [{ price: '1.00' }] }
    const mine = await ask('POST', '/order', { ...buyer, body: { lines } })
    assert.equal(mine.json(201).total, '1.00')
    await ask('POST', `/order/${mine.json().id}/proceedToStep`, {
      ...buyer,
      body: { action: 'submit' },
    })
    assert.equal((await put(mine.json().id, { lines }, buyer)).status, 403)
    assert.equal((await put(mine.json().id, { lines }, counter)).status, 403)
    assert.equal((await put(mine.json().id, { lines })).json(200).total, '2.00')
  })
})
