/** Formulas of a record, and what nobody may do with calculated fields or learn from them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { counter, startCalculated } from '../../support/records/a-calculated-project.ts'
import type { TestService } from '../../support/service.ts'

type Started = Awaited<ReturnType<typeof startCalculated>>
let service: TestService
let ask: Started['ask']
let create: Started['create']
before(async () => {
  ;({ service, ask, create } = await startCalculated())
})
after(() => service.stop())

const price = (order_id: number, value: string) => ({ order_id, price: value })

describe('a formula', () => {
  test('is calculated exactly and rounded half up, when a record is created and when it is changed', async () => {
    const line = await create('line', { quantity: 3, price: '0.3350', discount: '0' })
    assert.equal(line.amount, '1.01')
    const { id } = line
    const change = async (body: object) => (await ask('PATCH', `/line/${id}`, { body })).json()
    assert.equal((await change({ discount: '33.33' })).amount, '0.67')
    assert.equal((await change({ quantity: 1000000, price: '9999.9999' })).amount, '6666999933.33')
  })

  test('is empty without an operand, and where it would divide by zero', async () => {
    const { id, amount } = await create('line', { quantity: null, price: '1' })
    assert.equal(amount, null)
    const { share } = (await ask('PATCH', `/line/${id}`, { body: { quantity: 0 } })).json()
    assert.equal(share, null)
  })

  test('adds days to a date', async () => {
    const body = { ordered_on: '2028-02-27', days: 3 }
    assert.equal((await create('line', body)).delivered_on, '2028-03-01')
  })

  test('whose result does not fit is a 422 that names its field, and nothing is written', async () => {
    const { id } = await create('line', price(null as never, '1'))
    for (const body of [
      { quantity: 2147483647, price: '99999999' },
      { ordered_on: '9999-12-31', days: 1 },
      { ordered_on: '2028-01-01', days: 2147483647 },
    ]) {
      const reply = await ask('PATCH', `/line/${id}`, { body })
      assert.deepEqual([reply.status, reply.json().code], [422, 'record.invalid'], reply.text)
      assert.match(reply.json().errors[0].message, /^is calculated, and the result does not fit$/)
    }
    const { amount, ordered_on: day } = (await ask('GET', `/line/${id}`)).json()
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

describe('nobody', () => {
  test('writes a calculated field', async () => {
    const { id } = await create('order', {})
    for (const [method, path, body] of [
      ['POST', '/order', { total: '1.00' }],
      ['PATCH', `/order/${id}`, { total: '1.00' }],
      ['PATCH', `/order/${id}`, { total: null }],
    ] as const) {
      const reply = await ask(method, path, { body })
      assert.equal(reply.status, 400, reply.text)
      assert.deepEqual(reply.json().errors, [
        { path: 'total', message: 'is calculated by the service and cannot be written' },
      ])
    }
    const bulk = { ids: [id], do: { change: { total: '1.00' } } }
    assert.equal((await ask('POST', '/order/bulk', { body: bulk })).status, 400)
  })

  test('learns from a formula what their role may not see', async () => {
    const fieldsOf = async (entity: string, who: object) =>
      new Map(
        (await ask('GET', `/api/entities/${entity}`, who))
          .json()
          .fields.map((field: { key: string }) => [field.key, field]),
      ) as Map<
        string,
        { isCalculated: boolean; calculatedFrom?: unknown; formula?: unknown; rollup?: unknown }
      >
    const all = await fieldsOf('order', {})
    assert.equal(all.get('total_eur')?.formula, 'total * rate')
    assert.deepEqual(all.get('total')?.rollup, { sum: 'lines.amount' })
    assert.equal(all.get('rate')?.isCalculated, false)
    const some = await fieldsOf('order', counter)
    assert.deepEqual([some.has('total'), some.has('rate')], [false, false])
    assert.equal(some.get('total_eur')?.isCalculated, true)
    assert.equal(some.get('total_eur')?.formula, null)
    const inputs = (of: typeof all, name: string) => of.get(name)?.calculatedFrom
    assert.deepEqual([inputs(all, 'vat_eur'), inputs(some, 'vat_eur')], [['rate'], []])
    assert.deepEqual([inputs(all, 'total'), inputs(all, 'rate')], [[], undefined])
    assert.deepEqual(some.get('cheapest')?.rollup, { min: 'lines.price' })
    const { id } = await create('line', { price: '1' })
    const body = { quantity: 2147483647, price: '99999999' }
    const reply = await ask('PATCH', `/line/${id}`, { ...counter, body })
    assert.deepEqual(reply.json().errors, [
      { path: '', message: 'is calculated, and the result does not fit' },
    ])
    assert.doesNotMatch(reply.text, /amount/)
  })
})

test('a new record has its calculated fields in its history, and in what says whom it would notify', async () => {
  const { id } = await create('order', { rate: '5' })
  const [created] = (await ask('GET', `/order/${id}/history`)).json().data
  assert.deepEqual(created.changes.vat_eur, { after: '0.00' })
  const body = { entityKey: 'order', operation: 'create', values: { rate: '5' } }
  const preview = await ask('POST', '/api/notifications/recipients', { body })
  assert.equal(preview.json().count, 1, preview.text)
  await create('line', price(id, '100.00'))
  const countOf = async (rate: string) => {
    const acted = { entityKey: 'order', operation: 'proceedToStep', action: 'submit' }
    const asked = { ...acted, entityIds: [id], values: { rate } }
    return (await ask('POST', '/api/notifications/recipients', { body: asked })).json().count
  }
  assert.deepEqual([await countOf('3.9'), await countOf('4')], [0, 1])
})
