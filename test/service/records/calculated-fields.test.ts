/** Formulas and rollups: they follow what they are calculated from, exactly, whatever writes, and nobody writes them or learns from them. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { buyer, counter, startCalculated } from '../../support/records/a-calculated-project.ts'

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
  })
})
