/** Which values the fields of a record accept, and how they are returned. `facts/definitions` has each type in full. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createAs,
  createOrder,
  invalidPaths,
  nextNumber,
  sharedProject,
} from '../../support/a-project.ts'

const service = await sharedProject()
const { ask } = service
const read = async (id: number) => (await ask('GET', `/order/${id}`)).json()

/** Values of one record, or what was sent and what is shown instead. */
const manyDigits = `-${'9'.repeat(200)}.${'1'.repeat(200)}`
const stored: readonly (readonly [sent: Record<string, unknown>, shown?: object])[] = [
  [
    { needed_by: '2024-02-29', placed_at: '2026-05-04 10:30:00', total: '12.5', rate: '0.10' },
    { placed_at: '2026-05-04T08:30:00.000Z', total: '12.50' },
  ],
  [
    { placed_at: '2026-01-04 10:30:00', total: 12.5, serial: '-9007199254740991' },
    { placed_at: '2026-01-04T09:30:00.000Z', total: '12.50', serial: -9007199254740991 },
  ],
  [
    { placed_at: '2026-05-04T10:30:00', total: '-0', rate: manyDigits, quantity: 1000 },
    { placed_at: '2026-05-04T08:30:00.000Z', total: '0.00' },
  ],
  [
    { placed_at: '2026-05-04T10:30:00.123+05:30', total: '000999999999999.99' },
    { placed_at: '2026-05-04T05:00:00.123Z', total: '999999999999.99' },
  ],
  [
    { placed_at: '2026-05-04T00:00:00-11:00', total: '1.5000', serial: '-9223372036854775808' },
    { placed_at: '2026-05-04T11:00:00.000Z', total: '1.50' },
  ],
  [
    { placed_at: '2024-02-29 00:00:00', serial: '9007199254740992', quantity: null },
    { placed_at: '2024-02-28T23:00:00.000Z' },
  ],
  [
    { placed_at: '0001-06-01T00:00:00Z', group: '12345678901234567😀😀😀', extra: null },
    { placed_at: '0001-06-01T00:00:00.000Z' },
  ],
  [{ placed_at: '9999-12-31T23:59:59.999Z', group: '', urgency: 'high', extra: false }],
  [{ notes: '\t=1+1\r\n"quoted" \\ \u2028 \u00a0', urgency: null, is_urgent: true, extra: 'text' }],
  [{ notes: 'ﷺ \u00E9 👨‍👩‍👧', extra: { b: 1, a: [null, { '': '' }], 10: 1 } }],
  [{ contact: 'o\u2019neil+tag@sub.example.co' }],
]
for (const [sent, shown] of stored)
  test(`${JSON.stringify(sent).slice(0, 90)} are stored and returned, by create, change and reads`, async () => {
    const created = await createOrder(service, sent)
    const other = await createOrder(service)
    const changed = await ask('PATCH', `/order/${other.id}`, { body: sent })
    assert.equal(changed.status, 200, changed.text)
    const expected = { ...sent, ...shown }
    for (const record of [created, changed.json(), await read(created.id), await read(other.id)]) {
      const values = Object.keys(sent).map((name) => [name, record[name]])
      assert.deepEqual(Object.fromEntries(values), expected)
    }
  })

/** Values that are each refused, with the same status. */
const refused: readonly (readonly [status: number, values: Record<string, unknown>])[] = [
  [400, { placed_at: '2026-02-30 10:00:00', needed_by: '2026-02-30', total: '1e3', group: 5 }],
  [400, { placed_at: '2026-05-04', needed_by: '2026-2-3', total: '1,5', serial: 1.5 }],
  [400, { placed_at: '', total: ['1'], quantity: 1.5, is_urgent: 'true', supplier_id: '1' }],
  [422, { number: null, group: '123456789012345678901', contact: 'nobody', quantity: 0 }],
  [422, { number: '', contact: 'a@b c', total: '1.001', quantity: 1001, urgency: 'HIGH' }],
  [422, { total: '1000000000000', quantity: 2147483648, urgency: '' }],
  [422, { number: 'po-1', total: '-0.01', needed_by: '1999-12-31', rate: '9'.repeat(1001) }],
  [422, { number: 'PO-1234567890', serial: '9223372036854775808' }],
  [422, { supplier_id: 4711 }],
]
for (const [status, body] of refused)
  test(`each of ${JSON.stringify(body).slice(0, 90)} returns ${status}, by create and change`, async () => {
    const create = await ask('POST', '/order', { body: { number: nextNumber(), ...body } })
    const { id } = await createOrder(service)
    const change = await ask('PATCH', `/order/${id}`, { body })
    const names = Object.keys(body).sort()
    assert.deepEqual(invalidPaths(create, status).sort(), names)
    assert.deepEqual(invalidPaths(change, status).sort(), names)
    assert.deepEqual(change.json().errors, create.json().errors)
  })

test('a search finds a bigint by text, and a decimal by any notation of its value', async () => {
  const { id } = await createOrder(service, { serial: '9007199254740995', rate: '7.70' })
  for (const $where of [
    { serial: '9007199254740995' },
    { serial: { $gte: '9007199254740995', $lt: '9007199254740996' } },
    { rate: '7.7' },
    { rate: 7.7 },
    { rate: { $in: ['7.700'] } },
  ]) {
    const body = { $where, $select: ['id'] }
    const reply = await ask('POST', '/order/search', { body })
    assert.deepEqual(reply.json().data, [{ id }])
  }
})

test('an absent value becomes the default, null stays null', async () => {
  for (const [values, expected] of [
    [{}, { total: '0.00', is_urgent: false, urgency: 'normal' }],
    [{ total: null, is_urgent: null, urgency: null }, undefined],
  ] as const) {
    const { total, is_urgent, urgency } = await createOrder(service, values)
    assert.deepEqual({ total, is_urgent, urgency }, expected ?? values)
  }
})

test('the error for a missing required link names its column', async () => {
  const order = await createOrder(service)
  const body = { order: order.id, position: 1 }
  const reply = await ask('POST', '/order_line', { body })
  assert.deepEqual(invalidPaths(reply, 400).sort(), ['order', 'order_id'])
  assert.match(reply.text, /set \\"order_id\\" to the id of a record/)
  await createAs(service, 'order_line', { order_id: order.id, position: 1 })
})
