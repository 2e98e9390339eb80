/** Rollups: what a record keeps of others follows them, exactly, whoever writes and however many at once. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { buyer, startCalculated } from '../../support/records/a-calculated-project.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

type Started = Awaited<ReturnType<typeof startCalculated>>
let service: TestService
let ask: Started['ask']
let create: Started['create']
let orderOf: Started['orderOf']
before(async () => {
  ;({ service, ask, create, orderOf } = await startCalculated())
})
after(() => service.stop())

const price = (order_id: number, value: string) => ({ order_id, price: value })

describe('a rollup', () => {
  test('follows lines that are created, changed, moved, removed and restored', async () => {
    const [one, other] = [await create('order', { number: 'R-1' }), await create('order', {})]
    assert.deepEqual([one.total, one.line_count, one.last_delivery], ['0.00', 0, null])
    const sums = async () =>
      (await Promise.all([orderOf(one.id), orderOf(other.id)])).map(({ total }) => total)
    const dated = { ordered_on: '2028-01-01', days: 9 }
    const { id } = await create('line', { ...price(one.id, '10.00'), ...dated })
    await create('line', price(one.id, '5.00'))
    const { total, line_count: count, last_delivery: last, cheapest } = await orderOf(one.id)
    assert.deepEqual([total, count, last, cheapest], ['15.00', 2, '2028-01-10', '5.0000'])
    await ask('PATCH', `/line/${id}`, { body: { quantity: 2 } })
    assert.deepEqual(await sums(), ['25.00', '0.00'])
    await ask('PATCH', `/line/${id}`, { body: { order_id: other.id } })
    assert.deepEqual(await sums(), ['5.00', '20.00'])
    await ask('DELETE', `/line/${id}`)
    assert.deepEqual(await sums(), ['5.00', '0.00'])
    await ask('POST', `/line/${id}/restore`)
    assert.deepEqual(await sums(), ['5.00', '20.00'])
    await ask('PATCH', `/line/${id}`, { body: { order_id: null } })
    assert.deepEqual(await sums(), ['5.00', '0.00'])
  })

  test('is a change of its record, with history by who wrote the line, formulas and rollups above', async () => {
    const customer = await create('customer', { name: 'Adria' })
    const { id } = await create('order', { customer_id: customer.id, rate: '2' })
    const { headers } = await ask('GET', `/order/${id}`)
    await create('line', price(id, '10.00'), buyer)
    const reply = await ask('GET', `/order/${id}`)
    assert.notEqual(reply.headers.get('ETag'), headers.get('ETag'))
    const { total_eur: euros, vat_eur: vat, _updated_by: by } = reply.json()
    assert.deepEqual([euros, vat], ['20.00', '5.00'])
    const [entry] = (await ask('GET', `/order/${id}/history`)).json().data
    assert.equal(entry.user.id, by)
    assert.equal(entry.user.full_name, 'buyer')
    assert.deepEqual(entry.changes, {
      total: { before: '0.00', after: '10.00' },
      line_count: { before: 0, after: 1 },
      cheapest: { before: null, after: '10.0000' },
      total_eur: { before: '0.00', after: '20.00' },
      vat_eur: { before: '0.00', after: '5.00' },
    })
    const above = (await ask('GET', `/customer/${customer.id}`)).json()
    assert.equal(above.ordered, '20.00')
    await ask('PATCH', `/order/${id}`, { body: { rate: '3' } })
    assert.equal((await ask('GET', `/customer/${customer.id}`)).json().ordered, '30.00')
  })

  test('does not change its record when the result stays', async () => {
    const { id } = await create('order', {})
    const line = await create('line', price(id, '1.00'))
    const before = (await ask('GET', `/order/${id}`)).headers.get('ETag')
    await ask('PATCH', `/line/${line.id}`, { body: { code: 'stays' } })
    assert.equal((await ask('GET', `/order/${id}`)).headers.get('ETag'), before)
  })

  test('is exact when 40 lines are written, changed and removed at the same time', async () => {
    const orders = [await create('order', {}), await create('order', {})]
    const orderAt = (at: number): number => orders[at % 2].id
    const lines = await Promise.all(
      Array.from({ length: 40 }, (_, at) => create('line', price(orderAt(at), '1.01'))),
    )
    assert.deepEqual(await Promise.all(orders.map(async ({ id }) => (await orderOf(id)).total)), [
      '20.20',
      '20.20',
    ])
    const replies = await Promise.all(
      lines.map(({ id }, at) => {
        if (at % 4 === 0) return ask('DELETE', `/line/${id}`)
        const body = at % 4 === 1 ? { order_id: orderAt(at + 1) } : { quantity: 10 }
        return ask('PATCH', `/line/${id}`, { body })
      }),
    )
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200, 204]))
    const [first, second] = await Promise.all(orders.map(({ id }) => orderOf(id)))
    // 10 of the first were removed, 10 were multiplied; 10 of the second came to the first, 10 were multiplied.
    assert.deepEqual([first.total, first.line_count], ['111.10', 20])
    assert.deepEqual([second.total, second.line_count], ['101.00', 10])
  })

  test('that does not fit refuses the line, and names nothing of the record above', async () => {
    const { id } = await create('order', { rate: '9999' })
    const reply = await ask('POST', '/line', { body: price(id, '9999999.00') })
    assert.equal(reply.status, 422, reply.text)
    assert.deepEqual(reply.json().errors, [
      { path: 'amount', message: 'makes a value too large that another record calculates from it' },
    ])
    assert.equal((await orderOf(id)).total, '0.00')
  })

  test('is calculated once for a bulk write, and not by a dry run', async () => {
    const { id } = await create('order', {})
    const lines = []
    for (let at = 0; at < 5; at++) lines.push(await create('line', price(id, '2.00')))
    const ids = lines.map((line) => line.id)
    const bulk = (dryRun: boolean, change: object) =>
      ask('POST', '/line/bulk', { body: { ids, do: { change }, dryRun } })
    assert.equal((await bulk(true, { quantity: 4 })).status, 200)
    assert.equal((await orderOf(id)).total, '10.00')
    const before = (await ask('GET', `/order/${id}/history`)).json().data.length
    const reply = await bulk(false, { quantity: 3 })
    assert.equal(reply.json().counts.done, 5, reply.text)
    assert.equal((await orderOf(id)).total, '30.00')
    assert.equal((await ask('GET', `/order/${id}/history`)).json().data.length, before + 1)
    const tooLarge = await bulk(false, { quantity: 2147483647, price: '4.00' })
    assert.equal(tooLarge.status, 422, tooLarge.text)
    assert.equal((await orderOf(id)).total, '30.00')
  })
})

test('a condition over the record above is asked again when that is locked', async () => {
  const { id } = await create('order', {})
  const line = await create('line', price(id, '1.00'))
  const removed = await create('line', price(id, '2.00'))
  const holder = await service.database.pool.connect()
  await holder.query('BEGIN')
  await holder.query(`UPDATE records.order SET _step = 'review' WHERE id = $1`, [id])
  const waiting = [
    ask('POST', '/line', { ...buyer, body: price(id, '5.00') }),
    ask('PATCH', `/line/${line.id}`, { ...buyer, body: { price: '6.00' } }),
    ask('DELETE', `/line/${removed.id}`, buyer),
  ]
  await until('all wait for the order', async () => {
    const { rows } = await service.database.pool.query(
      `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    )
    return rows[0].count === 3
  })
  await holder.query('COMMIT')
  holder.release()
  for (const reply of await Promise.all(waiting)) assert.equal(reply.status, 403, reply.text)
  assert.equal((await orderOf(id)).total, '3.00')
})
