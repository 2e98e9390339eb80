/** Rollups of records that match a condition: they follow every write that may change which records these are. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openBlobStore } from '../../../src/blobs/open-blob-store.ts'
import { findDiffering } from '../../../src/schema-sync/calculations/find-differing.ts'
import { loadSeeds } from '../../../src/seeding/load-seeds.ts'
import { insertPerson } from '../../support/a-person.ts'
import { entityFile, many, roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { type Reply, startTestService } from '../../support/service.ts'

const money = { type: 'decimal', precision: 12, scale: 2 } as const

const notCancelled = { status: { $ne: 'cancelled' } }

const project = {
  ...entityFile('customer', [
    { key: 'code', type: 'string', unique: true },
    many('orders', 'order', 'customer'),
    { key: 'approved', ...money, rollup: { sum: 'orders.open', where: { _step: 'approved' } } },
    {
      key: 'own_orders',
      type: 'integer',
      rollup: { count: 'orders', where: { _owned_by: { $ne: { $field: '_created_by' } } } },
    },
  ]),
  'entities/order.json': {
    key: 'order',
    ownership: true,
    fields: [
      { key: 'code', type: 'string', unique: true },
      { key: 'customer', type: 'manyToOne', entity: 'customer' },
      many('lines', 'line', 'order'),
      { key: 'open', ...money, rollup: { sum: 'lines.amount', where: notCancelled } },
      {
        key: 'large',
        type: 'integer',
        rollup: { count: 'lines', where: { amount: { $gte: { $field: 'least' } } } },
      },
      {
        key: 'last_done',
        type: 'date',
        rollup: { max: 'lines.day', where: { $not: { status: { $lt: 'done' } }, note: null } },
      },
      { key: 'in_parts', type: 'integer', rollup: { count: 'lines', where: { parts: 2 } } },
    ],
    workflow: workflowOf({
      draft: [{ key: 'approve', kind: 'proceedToStep', to: 'approved' }],
      approved: [{ key: 'reopen', kind: 'proceedToStep', to: 'draft' }],
    }),
  },
  ...entityFile('line', [
    { key: 'order', type: 'manyToOne', entity: 'order' },
    { key: 'code', type: 'string', unique: true },
    { key: 'status', type: 'enum', values: ['new', 'done', 'cancelled'] },
    { key: 'size', type: 'integer', default: 1 },
    { key: 'amount', ...money, formula: 'size * 10' },
    { key: 'least', type: 'integer' },
    { key: 'day', type: 'date' },
    { key: 'note', type: 'text' },
    many('all_parts', 'part', 'line'),
    { key: 'parts', type: 'integer', rollup: { count: 'all_parts', where: { used: true } } },
  ]),
  ...entityFile('part', [
    { key: 'line', type: 'manyToOne', entity: 'line' },
    { key: 'used', type: 'boolean', default: true },
  ]),
  ...roleFile('clerk', {
    customer: { read: true },
    order: { read: true, update: true, takeOwnership: true, actions: ['approve'] },
    line: { create: true, read: true, update: true, hiddenFields: ['status'] },
  }),
  'seed/01-order.csv': 'code\nS-1\n',
  'seed/02-line.csv': 'code,order.code,size,status\nS-1-1,S-1,3,new\nS-1-2,S-1,4,cancelled\n',
}

const service = await startTestService(project)
after(() => service.stop())
await insertPerson(service.database.pool, 'clerk', 'clerk')
const clerk = { as: 'clerk@example.com' }
const { ask } = service

const create = async (entity: string, body: object) => {
  const reply = await ask('POST', `/${entity}`, { body })
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id as number
}
const read = async (entity: string, id: number) => (await ask('GET', `/${entity}/${id}`)).json()
const openOf = async (id: number) => (await read('order', id)).open

const assertCalculated = async () => {
  const calculating = { catalog: service.project.catalog, timeZone: 'UTC' }
  const found = await findDiffering(service.database.pool, calculating, 60_000)
  assert.ok(found.every(({ isComplete }) => isComplete))
  assert.deepEqual(
    found.filter(({ differing }) => differing > 0),
    [],
  )
}

test('a write of a field that the condition asks changes the result, for one record and for many', async () => {
  const order = await create('order', {})
  assert.equal(await openOf(order), '0.00')
  const ids: number[] = []
  for (const status of ['new', 'cancelled', null])
    ids.push(await create('line', { order_id: order, status, size: 1 + ids.length }))
  const [first, second] = ids
  assert.equal(await openOf(order), '40.00')
  const results: string[] = []
  for (const [method, path, body] of [
    ['PATCH', `/line/${first}`, { status: 'cancelled' }],
    ['PATCH', `/line/${second}`, { status: 'done' }],
    ['PATCH', `/line/${second}`, { note: 'no matter' }],
    ['DELETE', `/line/${second}`, undefined],
    ['POST', `/line/${second}/restore`, undefined],
    ['POST', '/line/bulk', { ids, do: { change: { status: 'cancelled' } }, dryRun: true }],
    ['POST', '/line/bulk', { ids, do: { change: { status: 'cancelled' } } }],
    ['POST', '/line/bulk', { ids: [first], do: { change: { status: null, size: 7 } } }],
  ] as const) {
    const reply = await ask(method, path, { body })
    assert.ok(reply.status < 300, reply.text)
    results.push(await openOf(order))
  }
  assert.deepEqual(results, ['30.00', '50.00', '50.00', '30.00', '50.00', '50.00', '0.00', '70.00'])
  const [entry] = (await ask('GET', `/order/${order}/history`)).json().data
  assert.deepEqual(entry.changes, { open: { before: '0.00', after: '70.00' } })
})

test('a condition on the step follows actions, one on the owner who takes a record over', async () => {
  const customer = await create('customer', {})
  const order = await create('order', { customer_id: customer })
  await create('line', { order_id: order, status: 'new', size: 2 })
  const results = async () => {
    const { approved, own_orders: owned } = await read('customer', customer)
    return [approved, owned]
  }
  assert.deepEqual(await results(), ['0.00', 0])
  const act = (action: string) => ask('POST', `/order/${order}/proceedToStep`, { body: { action } })
  assert.equal((await act('approve')).status, 200)
  assert.deepEqual(await results(), ['20.00', 0])
  await create('line', { order_id: order, status: 'done', size: 1 })
  assert.deepEqual(await results(), ['30.00', 0])
  assert.equal((await act('reopen')).status, 200)
  const bulk = { ids: [order], do: { action: 'approve' } }
  assert.equal((await ask('POST', '/order/bulk', { body: bulk })).json().counts.done, 1)
  assert.deepEqual(await results(), ['30.00', 0])
  const taken = await ask('POST', `/order/${order}/takeOwnership`, clerk)
  assert.equal(taken.status, 200, taken.text)
  assert.deepEqual(await results(), ['30.00', 1])
})

test('conditions may ask formulas and rollups, which follow from other fields and records', async () => {
  const order = await create('order', {})
  const line = await create('line', { order_id: order, least: 30, day: '2028-02-01' })
  const results = async () => {
    const { large, last_done: last, in_parts: parts } = await read('order', order)
    return [large, last, parts]
  }
  assert.deepEqual(await results(), [0, '2028-02-01', 0])
  await ask('PATCH', `/line/${line}`, { body: { size: 3, status: 'new' } })
  assert.deepEqual(await results(), [1, null, 0])
  await ask('PATCH', `/line/${line}`, { body: { least: null, status: 'cancelled' } })
  const part = await create('part', { line_id: line })
  await create('part', { line_id: line })
  assert.deepEqual(await results(), [0, '2028-02-01', 1])
  await ask('PATCH', `/part/${part}`, { body: { used: false } })
  await ask('PATCH', `/line/${line}`, { body: { note: 'x' } })
  assert.deepEqual(await results(), [0, null, 0])
})

test('seeds count by the condition', async () => {
  const { database, project: loaded } = service
  const blobs = openBlobStore(service.config)
  const given = { pool: database.pool, project: loaded, timeZone: 'UTC', blobs, maxBytes: 1 }
  await loadSeeds(given)
  const body = { $where: { code: 'S-1' }, $select: ['open'] }
  const { data } = (await ask('POST', '/order/search', { body })).json()
  assert.equal(data[0].open, '30.00')
})

test('the condition is shown to who may see all that it names, the result to who may see its field', async () => {
  const rollupsOf = async (who: object) => {
    const { fields } = (await ask('GET', '/api/entities/order', who)).json()
    return Object.fromEntries(
      fields.flatMap(({ key, rollup }: { key: string; rollup?: unknown }) =>
        rollup === undefined ? [] : [[key, rollup]],
      ),
    )
  }
  const [all, some] = [await rollupsOf({}), await rollupsOf(clerk)]
  assert.deepEqual(all.open, { sum: 'lines.amount', where: notCancelled })
  assert.deepEqual([some.open, some.last_done], [null, null])
  assert.deepEqual(some.large, all.large)
  const order = await create('order', {})
  await create('line', { order_id: order, status: 'cancelled' })
  const line = { body: { order_id: order, size: 5 }, ...clerk }
  assert.equal((await ask('POST', '/line', line)).status, 201)
  assert.equal((await ask('GET', `/order/${order}`, clerk)).json().open, '50.00')
})

test('whatever is written at the same time, at the end each result is that of its definition', async () => {
  const customers = [await create('customer', {}), await create('customer', {})]
  const orders: number[] = []
  for (let at = 0; at < 4; at++)
    orders.push(await create('order', { customer_id: customers[at % 2] }))
  const lines: number[] = []
  for (let at = 0; at < 12; at++) lines.push(await create('line', { order_id: orders[at % 4] }))
  let seed = 7
  const below = (most: number) => {
    seed = (seed * 48271) % 2147483647
    return seed % most
  }
  const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T
  const values = () => ({
    status: oneOf(['new', 'done', 'cancelled', null]),
    size: oneOf([0, 1, 5, null]),
    least: oneOf([null, 10, 50]),
    day: oneOf([null, '2028-01-01', '2028-03-01']),
    note: oneOf([null, 'x']),
  })
  const some = <T extends object>(given: T) =>
    Object.fromEntries(Object.entries(given).filter(() => below(2) === 0))
  const writes: readonly (() => Promise<Reply>)[] = [
    () => ask('POST', '/line', { body: { order_id: oneOf(orders), ...values() } }),
    () => ask('PATCH', `/line/${oneOf(lines)}`, { body: { ...some(values()), note: null } }),
    () => ask('PATCH', `/line/${oneOf(lines)}`, { body: { order_id: oneOf([...orders, null]) } }),
    () => ask('DELETE', `/line/${oneOf(lines)}`),
    () => ask('POST', `/line/${oneOf(lines)}/restore`),
    () =>
      ask('POST', '/line/bulk', {
        body: { ids: [oneOf(lines), oneOf(lines)], do: { change: { status: values().status } } },
      }),
    () => ask('POST', '/part', { body: { line_id: oneOf(lines), used: oneOf([true, false]) } }),
    () =>
      ask('POST', `/order/${oneOf(orders)}/proceedToStep`, {
        body: { action: oneOf(['approve', 'reopen']) },
      }),
    () => ask('PATCH', `/order/${oneOf(orders)}`, { body: { customer_id: oneOf(customers) } }),
  ]
  const statuses: number[] = []
  for (let round = 0; round < 12; round++) {
    const replies = await Promise.all(Array.from({ length: 8 }, () => oneOf(writes)()))
    statuses.push(...replies.map(({ status }) => status))
  }
  assert.ok(statuses.every((status) => status < 500))
  assert.ok(statuses.filter((status) => status < 300).length > 40, statuses.join())
  await assertCalculated()
})
