/** Conditions on the records of one-to-many fields: each record once, and only what the caller may read. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { addUser, createAs, issuesOf } from '../../support/a-project.ts'
import { entityFile, link, many, roleFile } from '../../support/definitions/files.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { startTestService, writeProject } from '../../support/service.ts'

const money = { type: 'decimal', precision: 12, scale: 2 }
const name = { key: 'name', type: 'string' }
const read = { read: true }
const ofItsLines = { lines: { $some: { picker: { $caller: 'id' } } } }
const service = await startTestService(
  await writeProject({
    ...entityFile('customer', [name, many('orders', 'order', 'customer')]),
    'entities/order.json': {
      key: 'order',
      ownership: true,
      fields: [name, link('customer'), { key: 'total', ...money }, many('lines', 'line', 'order')],
      hooks,
      notifications: [
        {
          operation: 'takeOwnership',
          recipient: { userFields: ['_created_by'] },
          condition: { lines: { $some: { amount: '7.00' } } },
        },
      ],
    },
    ...entityFile('line', [
      link('order'),
      link('article'),
      { key: 'picker', type: 'manyToOne', entity: 'user' },
      { key: 'amount', ...money },
      { key: 'delivered', ...money },
      { key: 'cost', ...money },
      many('parcels', 'parcel', 'line'),
    ]),
    'entities/parcel.json': { key: 'parcel', fields: [link('line'), name] },
    'entities/article.json': { key: 'article', fields: [name] },
    ...roleFile('own', {
      order: { ...read, takeOwnership: true },
      line: { read: 'own', create: true },
      saved_view: { create: true, read: 'own' },
    }),
    // Reads the orders and customers of lines that it picks.
    ...roleFile('worker', {
      customer: { ...read, conditions: { read: { orders: { $some: ofItsLines } } } },
      order: { ...read, conditions: { read: ofItsLines } },
      line: read,
    }),
    'roles/blind.json': { key: 'blind', permissions: { order: read } },
    ...roleFile('linkless', { order: read, line: { ...read, hiddenFields: ['order'] } }),
    ...roleFile('listless', { order: { ...read, hiddenFields: ['lines'] }, line: read }),
    ...roleFile('costless', {
      order: read,
      customer: read,
      line: { ...read, hiddenFields: ['cost'] },
    }),
  }),
)
after(() => service.stop())
const { ask } = service
const picker_id = await addUser(service.database, 'worker@example.com')
for (const role of ['own', 'blind', 'linkless', 'listless', 'costless'])
  await addUser(service.database, `${role}@example.com`)
const create = async (entity: string, body: object, as?: string): Promise<number> =>
  (await createAs(service, entity, { ...body }, as)).id
const search = (body: object, as?: string, query = '') =>
  ask('POST', `/order/search${query}`, { body, as })
const found = async ($where: object, as?: string): Promise<readonly string[]> =>
  (await search({ $where, $select: ['name'] }, as))
    .json(200)
    .data.map((one: { name: string }) => one.name)

const article = await create('article', { name: 'bolt' })
const customer = await create('customer', { name: 'Ana' })
const orderOf = async (values: object, lines: readonly object[]) => {
  const id = await create('order', values)
  const ids: number[] = []
  for (const line of lines) ids.push(await create('line', { order_id: id, ...line }))
  return { id, lines: ids }
}
const bolts = await orderOf({ name: 'bolts', customer_id: customer, total: '10.00' }, [
  { article_id: article, amount: '5.00', delivered: '6.00', cost: '1.00' },
  { article_id: article, amount: '7.00' },
  { amount: '1.00' },
])
await orderOf({ name: 'other', customer_id: customer, total: '20.00' }, [
  { amount: '5.00', delivered: '5.00' },
])
await orderOf({ name: 'empty', total: '40.00' }, [])
const cleared = await orderOf({ name: 'cleared', total: '80.00' }, [
  { article_id: article, amount: '5.00' },
])
await ask('DELETE', `/line/${cleared.lines[0]}`)
await create('parcel', { line_id: bolts.lines[1], name: 'P1' })

const someBolts = { lines: { $some: { article, amount: { $gt: '3' } } } }

describe('records are found', () => {
  const rows: readonly [where: object, names: readonly string[]][] = [
    [someBolts, ['bolts']],
    [{ lines: { $none: { article, amount: { $gt: '3' } } } }, ['other', 'empty', 'cleared']],
    [{ lines: { $some: {} } }, ['bolts', 'other']],
    [{ lines: { $none: {} } }, ['empty', 'cleared']],
    // One line meets all of it, and not one this and another one that.
    [{ lines: { $some: { article, amount: '1.00' } } }, []],
    [
      { $and: [{ lines: { $some: { article } } }, { lines: { $some: { amount: '1.00' } } }] },
      ['bolts'],
    ],
    [{ lines: { $some: { amount: '7.00' }, $none: { amount: '9.00' } } }, ['bolts']],
    [{ lines: { $some: { 'article.name': 'bolt' } } }, ['bolts']],
    [
      { lines: { $some: { $or: [{ amount: '7.00' }, { $not: { delivered: null } }] } } },
      ['bolts', 'other'],
    ],
    [{ lines: { $some: { delivered: { $gt: { $field: 'amount' } } } } }, ['bolts']],
    [
      { lines: { $none: { delivered: { $gt: { $field: 'amount' } } } } },
      ['other', 'empty', 'cleared'],
    ],
    [{ lines: { $some: { _is_deleted: true } } }, ['cleared']],
    [{ lines: { $some: { parcels: { $some: { name: 'P1' } } } } }, ['bolts']],
    [{ lines: { $some: { parcels: { $none: {} }, article } } }, ['bolts']],
    [{ 'customer.orders': { $some: { name: 'bolts' } } }, ['bolts', 'other']],
    [{ 'customer.orders': { $none: { name: 'bolts' } } }, ['empty', 'cleared']],
    [{ $not: { lines: { $none: {} } } }, ['bolts', 'other']],
    [{ total: { $lt: '50' }, $or: [{ lines: { $none: {} } }, someBolts] }, ['bolts', 'empty']],
  ]
  for (const [where, names] of rows)
    test(JSON.stringify(where), async () => {
      assert.deepEqual(await found(where), names)
    })
})

test('each record counts once, however many of its records match', async () => {
  const body = {
    $where: { lines: { $some: { amount: { $gt: '0' } } } },
    $orderBy: ['-total'],
    $count: true,
    $aggregate: { sum: ['total'] },
    $group: ['customer'],
  }
  const { total, aggregate, groups } = (await search(body, undefined, '?limit=1')).json()
  assert.deepEqual([total, aggregate], [2, { count: 2, sum: { total: '30.00' } }])
  assert.deepEqual(
    groups.map(({ count, sum }: { count: number; sum: object }) => [count, sum]),
    [[2, { total: '30.00' }]],
  )
  const { $where } = body
  const first = (await search({ $where, $after: null }, undefined, '?limit=1')).json()
  const second = (await search({ $where, $after: first.next }, undefined, '?limit=1')).json()
  const exported = await ask('POST', '/order/export?format=ndjson', {
    body: { $where, $select: ['name', 'customer.name'] },
  })
  const rows = exported.text
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row).name)
  const bulk = await ask('POST', '/order/bulk', {
    body: { criteria: { $where }, do: { change: { total: '1.00' } }, dryRun: true },
  })
  const pages = [...first.data, ...second.data].map(({ name: one }: { name: string }) => one)
  assert.deepEqual(
    [pages, rows, bulk.json().data.length],
    [['bolts', 'other'], ['bolts', 'other'], 2],
  )
})

describe('a caller finds what is there for them', () => {
  const own = 'own@example.com'
  test('records that they may not read do not count', async () => {
    assert.deepEqual(await found({ lines: { $some: {} } }, own), [])
    assert.deepEqual(await found({ lines: { $none: {} } }, own), [
      'bolts',
      'other',
      'empty',
      'cleared',
    ])
    const id = await create('line', { order_id: cleared.id, amount: '2.00' }, own)
    assert.deepEqual(await found({ lines: { $some: {} } }, own), ['cleared'])
    await ask('DELETE', `/line/${id}`)
  })

  test('the condition of a role on what it reads asks every record, also within other conditions', async () => {
    const worker = 'worker@example.com'
    const customers = async ($where: object) =>
      (await ask('POST', '/customer/search', { body: { $where }, as: worker })).json().data.length
    assert.deepEqual([await found({}, worker), await customers({})], [[], 0])
    const id = await create('line', { order_id: bolts.id, amount: '3.00', picker_id })
    assert.deepEqual([await found({}, worker), await customers({})], [['bolts'], 1])
    const orders = ($where: object) => customers({ orders: { $some: $where } })
    const [mine, others] = [{ amount: '3.00' }, { amount: '5.00' }]
    assert.equal(await orders({ lines: { $some: mine }, name: 'bolts' }), 1)
    assert.equal(await orders({ lines: { $some: others, $none: mine } }), 0)
    assert.equal(await orders({ name: 'other' }), 0)
    const within = { lines: { $some: { 'order.lines': { $some: { 'order.name': 'bolts' } } } } }
    assert.deepEqual(await found(within, worker), ['bolts'])
    await ask('DELETE', `/line/${id}`)
    assert.deepEqual([await found({}, worker), await customers({})], [[], 0])
  })

  test('what is hidden is unknown', async () => {
    const unknownList = '"lines" is not a one-to-many field of order'
    for (const role of ['blind', 'linkless', 'listless'])
      assert.deepEqual(
        issuesOf(await search({ $where: { lines: { $some: {} } } }, `${role}@example.com`), 400),
        [`$where.lines.$some ${unknownList}`],
        role,
      )
    const costless = 'costless@example.com'
    const cost = { lines: { $some: { cost: '1.00' } } }
    assert.deepEqual(await found(cost), ['bolts'])
    assert.deepEqual(issuesOf(await search({ $where: cost }, costless), 400), [
      '$where.lines.$some.cost "cost" is not a field of line',
    ])
    // A list behind a link that may be read.
    const orders = { 'customer.orders': { $some: { lines: { $some: { amount: '7.00' } } } } }
    assert.deepEqual(await found(orders, costless), ['bolts', 'other'])
  })

  test('a shared view is read by those who see all that it names', async () => {
    const share = async ($where: object) => {
      const body = { entity_key: 'order', name: 'v', criteria: { $where }, is_shared_with: 'all' }
      return create('saved_view', body)
    }
    const views: readonly [id: number, ...statuses: number[]][] = [
      [await share({ lines: { $some: {} } }), 200, 404, 200],
      [
        await share({ $or: [{ lines: { $none: { amount: { $gt: { $field: 'delivered' } } } } }] }),
        200,
        404,
        200,
      ],
      [await share({ lines: { $some: { amount: { $gt: { $field: 'cost' } } } } }), 200, 404, 404],
      [await share({ lines: { $none: { cost: '1.00' } } }), 200, 404, 404],
      [await share({ lines: { $some: { parcels: { $some: {} } } } }), 404, 404, 404],
    ]
    for (const [id, ...statuses] of views) {
      const callers = [own, 'linkless@example.com', 'costless@example.com']
      const replies = await Promise.all(
        callers.map((as) => ask('GET', `/saved_view/${id}`, { as })),
      )
      assert.deepEqual(
        replies.map(({ status }) => status),
        statuses,
      )
    }
  })
})

test('the condition of a rule sees every record; who may not read them all is not told whom it notifies', async () => {
  const preview = async (id: number, as?: string) => {
    const body = { entityKey: 'order', operation: 'takeOwnership', entityIds: [id] }
    const { count, isPartial } = (
      await ask('POST', '/api/notifications/recipients', { body, as })
    ).json(200)
    return [count, isPartial]
  }
  const other = await create('order', { name: 'cheap' })
  await create('line', { order_id: other, amount: '1.00' })
  assert.deepEqual(await preview(bolts.id), [1, false])
  assert.deepEqual(await preview(other), [0, false])
  assert.deepEqual(await preview(bolts.id, 'own@example.com'), [0, true])
  await ask('DELETE', `/order/${other}`)
})

test('the most that is allowed is answered', async () => {
  const lists = (length: number, inner: object) =>
    Array.from({ length }, () => ({ lines: { $some: inner } }))
  assert.deepEqual(await found({ $or: lists(100, { amount: '1.00' }) }), ['bolts'])
  // As joins, PostgreSQL would plan these for minutes.
  assert.deepEqual(await found({ $and: lists(50, { 'article.name': 'bolt' }) }), ['bolts'])
})
