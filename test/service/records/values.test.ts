/** Which values each field type accepts, and how they are returned. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  createAs,
  createOrder,
  invalidPaths,
  nextNumber,
  sharedProject,
} from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await sharedProject()
  ask = service.ask
})

/** Sends a value by create and by change, and returns both responses' values and what reads show. */
const returnedValues = async (name: string, value: unknown): Promise<unknown[]> => {
  const created = await createOrder(service, { [name]: value })
  const other = await createOrder(service)
  const changed = await ask('PATCH', `/order/${other.id}`, { body: { [name]: value } })
  assert.equal(changed.status, 200, changed.text)
  const read = async (id: number) => (await ask('GET', `/order/${id}`)).json()[name]
  return [created[name], changed.json()[name], await read(created.id), await read(other.id)]
}

const assertReturned = async (name: string, sent: unknown, shown: unknown) => {
  assert.deepEqual(await returnedValues(name, sent), [shown, shown, shown, shown])
}

const assertRefused = async (name: string, value: unknown, status: number) => {
  const body = { [name]: value }
  const create = await ask('POST', '/order', { body: { number: nextNumber(), ...body } })
  assert.deepEqual(invalidPaths(create, status), [name])
  const { id } = await createOrder(service)
  const change = await ask('PATCH', `/order/${id}`, { body })
  assert.deepEqual(invalidPaths(change, status), [name])
  assert.equal(change.json().errors[0].message, create.json().errors[0].message)
}

describe('Times: "returned ISO 8601 UTC with milliseconds; YYYY-MM-DD HH:MM:SS is read in TIME_ZONE"', () => {
  for (const [sent, shown] of [
    ['2026-05-04 10:30:00', '2026-05-04T08:30:00.000Z'],
    ['2026-01-04 10:30:00', '2026-01-04T09:30:00.000Z'],
    ['2026-05-04T10:30:00', '2026-05-04T08:30:00.000Z'],
    ['2026-05-04T10:30:00Z', '2026-05-04T10:30:00.000Z'],
    ['2026-05-04T10:30:00.123+05:30', '2026-05-04T05:00:00.123Z'],
    ['2026-05-04T00:00:00-11:00', '2026-05-04T11:00:00.000Z'],
    ['2024-02-29 00:00:00', '2024-02-28T23:00:00.000Z'],
    ['0001-06-01T00:00:00Z', '0001-06-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ] as const)
    test(`${sent} is returned as ${shown}`, () => assertReturned('placed_at', sent, shown))

  for (const sent of [
    '2026-02-30 10:00:00',
    '2025-02-29T00:00:00Z',
    '2026-13-01 00:00:00',
    '2026-05-04 24:00:01',
    '2026-05-04 10:60:00',
    '2026-05-04 10:00:60',
    '2026-05-04',
    '04.05.2026 10:00:00',
    '2026-05-04T10:00:00+25:00',
    'now',
    'infinity',
    '10000-01-01T00:00:00Z',
    '',
    1_777_887_000,
  ])
    test(`${sent} returns 400`, () => assertRefused('placed_at', sent, 400))
})

describe('Dates', () => {
  test('a date is returned as it was sent, without a time zone', () =>
    assertReturned('needed_by', '2024-02-29', '2024-02-29'))

  for (const sent of ['2026-02-30', '2026-2-3', '0000-01-01', '2026-05-04T00:00:00Z', 20260504])
    test(`${sent} returns 400`, () => assertRefused('needed_by', sent, 400))

  test('a date before the minimum returns 422', () => assertRefused('needed_by', '1999-12-31', 422))
})

describe('Numbers: "decimal travels as a string, bigint values outside the safe range likewise"', () => {
  for (const [name, sent, shown] of [
    ['total', '12.5', '12.50'],
    ['total', 12.5, '12.50'],
    ['total', 0, '0.00'],
    ['total', '-0', '0.00'],
    ['total', '000999999999999.99', '999999999999.99'],
    ['total', '1.5000', '1.50'],
    ['rate', '0.10', '0.10'],
    ['rate', `-${'9'.repeat(200)}.${'1'.repeat(200)}`, `-${'9'.repeat(200)}.${'1'.repeat(200)}`],
    ['serial', 9007199254740991, 9007199254740991],
    ['serial', '-9007199254740991', -9007199254740991],
    ['serial', '9007199254740992', '9007199254740992'],
    ['serial', '9223372036854775807', '9223372036854775807'],
    ['serial', '-9223372036854775808', '-9223372036854775808'],
    ['quantity', 1000, 1000],
    ['quantity', null, null],
  ] as const)
    test(`${name} ${String(sent).slice(0, 30)} is returned as ${String(shown).slice(0, 30)}`, () =>
      assertReturned(name, sent, shown))

  for (const [name, sent, status] of [
    ['total', '1e3', 400],
    ['total', '1,5', 400],
    ['total', ' 1', 400],
    ['total', 'NaN', 400],
    ['total', 'Infinity', 400],
    ['total', '0x10', 400],
    ['total', true, 400],
    ['total', ['1'], 400],
    ['total', '1.001', 422],
    ['total', '1000000000000', 422],
    ['total', '-0.01', 422],
    ['rate', '9'.repeat(1001), 422],
    ['serial', '9223372036854775808', 422],
    ['serial', 1.5, 400],
    ['serial', '1.0', 400],
    ['serial', '', 400],
    ['quantity', '5', 400],
    ['quantity', 1.5, 400],
    ['quantity', 0, 422],
    ['quantity', 1001, 422],
    ['quantity', 2147483648, 422],
  ] as const)
    test(`${name} ${JSON.stringify(sent).slice(0, 30)} returns ${status}`, () =>
      assertRefused(name, sent, status))

  test('a search finds a bigint by text, and a decimal by any notation of its value', async () => {
    const { id } = await createOrder(service, { serial: '9007199254740995', rate: '7.70' })
    for (const $where of [
      { serial: '9007199254740995' },
      { serial: { $gte: '9007199254740995', $lt: '9007199254740996' } },
      { rate: '7.7' },
      { rate: 7.7 },
      { rate: { $in: ['7.700'] } },
    ]) {
      const reply = await ask('POST', '/order/search', { body: { $where } })
      assert.deepEqual(
        reply.json().data.map((record: { id: number }) => record.id),
        [id],
      )
    }
  })
})

describe('Texts, enums, booleans and json', () => {
  for (const [name, sent, shown = sent] of [
    ['group', '12345678901234567😀😀😀'],
    ['group', ''],
    ['notes', '\t=1+1\r\n"quoted" \\ \u2028 \u00a0'],
    ['notes', 'ﷺ e\u0301 👨‍👩‍👧'],
    ['contact', 'o\u2019neil+tag@sub.example.co'],
    ['urgency', 'high'],
    ['urgency', null],
    ['is_urgent', true],
    ['extra', null],
    ['extra', false],
    ['extra', 'text'],
    ['extra', { b: 1, a: [null, { '': '' }], 10: 1 }],
  ] as readonly (readonly [string, unknown, unknown?])[])
    test(`${name} ${JSON.stringify(sent)} is stored`, () => assertReturned(name, sent, shown))

  for (const [name, sent, status] of [
    ['group', '123456789012345678901', 422],
    ['group', 5, 400],
    ['contact', 'nobody', 422],
    ['contact', 'a@b c', 422],
    ['contact', `${'a'.repeat(65)}@example.com`, 422],
    ['urgency', 'HIGH', 422],
    ['urgency', '', 422],
    ['urgency', 1, 400],
    ['is_urgent', 'true', 400],
    ['is_urgent', 1, 400],
    ['number', null, 422],
    ['number', '', 422],
    ['number', 'PO-1\n', 422],
    ['number', 'po-1', 422],
    ['number', 'PO-1234567890', 422],
    ['supplier_id', '1', 400],
    ['supplier_id', 1.5, 400],
    ['supplier_id', 0, 422],
    ['supplier_id', 4711, 422],
  ] as const)
    test(`${name} ${JSON.stringify(sent).slice(0, 30)} returns ${status}`, () =>
      assertRefused(name, sent, status))

  test('an absent value becomes the default, null stays null', async () => {
    const plain = await createOrder(service)
    assert.deepEqual([plain.total, plain.is_urgent, plain.urgency], ['0.00', false, 'normal'])
    const empty = await createOrder(service, { total: null, is_urgent: null, urgency: null })
    assert.deepEqual([empty.total, empty.is_urgent, empty.urgency], [null, null, null])
  })

  test('the error for a missing required link names its column', async () => {
    const order = await createOrder(service)
    const refused = await ask('POST', '/order_line', { body: { order: order.id, position: 1 } })
    assert.deepEqual(invalidPaths(refused, 400).sort(), ['order', 'order_id'])
    assert.match(refused.text, /set \\"order_id\\" to the id of a order/)
    await createAs(service, 'order_line', { order_id: order.id, position: 1 })
  })
})
