/** POST /:entityKey/bulk with records that have values of their own: all of them are written, or none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invalidPaths, nextNumber, users } from '../../support/a-project.ts'
import type { AskOptions } from '../../support/service.ts'
import { openBulk } from './a-bulk.ts'

const { ask, bulk, outcomesOf, orders, read, historyOf } = await openBulk()
const buyer = { as: users.buyer }

const errorsOf = async (body: object, options?: AskOptions) => {
  const reply = await bulk(body, options)
  const { code, errors } = reply.json()
  const paths = errors.map(({ path }: { path: string }) => path)
  return [reply.status, code, ...paths]
}
const ordersLike = async (criteria: object) => {
  const reply = await ask('POST', '/order/search', { body: { $where: criteria } })
  return reply.json(200).data
}

test('records are removed, changed and created in one transaction, new ones with their lines', async () => {
  const [changed = 0, same = 0, removed = 0] = await orders(3)
  const { number } = await read(removed)
  const lines = { create: [{ position: 1 }, { position: 2 }] }
  const body = {
    create: [
      { number, notes: 'Own values' },
      { number: nextNumber(), lines },
    ],
    change: [
      { id: changed, _version: 1, notes: 'Changed' },
      { id: same, notes: null },
    ],
    remove: [{ id: removed, _version: 1 }],
  }
  const headers = { 'Idempotency-Key': 'own-values' }
  const outcomes = await outcomesOf(body, { headers })
  const [first = 0, second = 0] = outcomes.slice(3).map(({ id }) => id)
  assert.deepEqual(
    outcomes.map(({ id, status, version }) => [id, status, version]),
    [
      [removed, 'done', null],
      [changed, 'done', 2],
      [same, 'unchanged', 1],
      [first, 'done', 1],
      [second, 'done', 1],
    ],
  )
  assert.deepEqual(await outcomesOf(body, { headers }), outcomes)
  const { notes, number: freed } = await read(first)
  assert.deepEqual([notes, freed], ['Own values', number])
  const own = await ask('POST', '/order_line/search', { body: { $where: { order: second } } })
  assert.deepEqual(
    own
      .json(200)
      .data.map((one: { position: number }) => one.position)
      .sort(),
    [1, 2],
  )
  assert.deepEqual(
    (await historyOf(first)).map((one: object) => 'operation' in one && one.operation),
    ['create'],
  )
})

test('records are refused as a whole, with the faults of all of them', async () => {
  const [own = 0] = await orders(1, {}, users.buyer)
  const [other = 0] = await orders(1)
  const [number, taken] = [nextNumber(), (await read(own)).number]
  const body = {
    create: [
      { number },
      { number: taken },
      { number: 'x', supplier_id: 4711, gone: 1 },
      { number },
      5,
      { number: nextNumber(), lines: { create: [{ position: 1 }, { position: 1 }, {}] } },
    ],
    change: [
      { id: own, _version: 9, notes: 'x' },
      { id: other, notes: 'x' },
      { id: own, notes: 'y' },
      { notes: 'z' },
    ],
    remove: [{ id: 2_000_000_000 }],
  }
  for (const dryRun of [true, false])
    assert.deepEqual(await errorsOf({ ...body, dryRun }, buyer), [
      ...[
        404,
        'record.unknown',
        'remove[0]',
        'change[0]',
        'change[1]',
        'change[2].id',
        'change[3].id',
      ],
      ...['create[1].number', 'create[2].number', 'create[2].gone', 'create[2].supplier_id'],
      ...['create[3].number', 'create[4]', 'create[5].lines.create[2].position'],
    ])
  assert.deepEqual(await ordersLike({ number }), [])
  const lines = { create: [{ position: 1 }, { position: 1 }] }
  assert.deepEqual(await errorsOf({ create: [{ number, lines }] }), [
    ...[409, 'record.conflict', 'create[0].lines.create[1].position'],
  ])
})

test('records of a dry run have no ids, and are not written', async () => {
  const number = nextNumber()
  const outcomes = await outcomesOf({ create: [{ number }], dryRun: true })
  assert.deepEqual(
    outcomes.map(({ id, status, version }) => [id, status, version]),
    [[null, 'done', null]],
  )
  assert.deepEqual(await ordersLike({ number }), [])
})

test('records tell no more than the first hundred faults, and are written up to a thousand at once', async () => {
  const numbers = Array.from({ length: 1000 }, nextNumber)
  const wrong = await bulk({ create: numbers.map((number) => ({ number, quantity: 0 })) })
  assert.equal(wrong.json(422).errors.length, 101)
  const twice = await bulk({
    create: [...numbers.slice(1), numbers[500]].map((number) => ({ number })),
  })
  assert.deepEqual(invalidPaths(twice, 409), ['create[999].number'])
  const outcomes = await outcomesOf({ create: numbers.map((number) => ({ number })) }, buyer)
  const [first, last] = [outcomes[0], outcomes[999]].map((one) => one?.id ?? 0)
  assert.deepEqual(
    [(await read(first ?? 0)).number, (await read(last ?? 0)).number],
    [numbers[0], numbers[999]],
  )
})

test('records need the permissions for what is asked', async () => {
  for (const body of [{ create: [{}] }, { change: [5] }, { remove: [{ id: 1 }] }, { create: 1 }])
    assert.equal((await ask('POST', '/supplier/bulk', { body, ...buyer })).status, 403)
  const { id } = (await ask('POST', '/supplier', { body: { code: nextNumber() } })).json(201)
  const asClerk = { as: users.clerk }
  assert.equal(
    (await ask('POST', '/supplier/bulk', { body: { remove: [{ id }] }, ...asClerk })).status,
    403,
  )
  const body = { change: [{ id, name: 'x' }] }
  const hidden = await ask('POST', '/supplier/bulk', { body, ...asClerk })
  assert.deepEqual([hidden.status, hidden.json().code], [404, 'record.unknown'])
})
