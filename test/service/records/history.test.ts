/** History: "who did what when: create, changes field by field, ownership". */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createOrder, invalidPaths, sharedProject, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await sharedProject()
  ask = service.ask
})

type Entry = {
  id: number
  operation: string
  changes: Record<string, { before?: unknown; after: unknown }>
  comment: string | null
  user: { id: number; full_name: string | null } | null
  at: string
}

const historyOf = async (id: number, as?: string): Promise<Entry[]> => {
  const reply = await ask('GET', `/order/${id}/history`, as === undefined ? {} : { as })
  assert.equal(reply.status, 200, reply.text)
  return reply.json().data
}

const values = {
  notes: 'a "b"\n',
  quantity: 5,
  serial: '9223372036854775807',
  total: '1.50',
  is_urgent: true,
  needed_by: '2026-05-04',
  placed_at: '2026-05-04T08:30:00.000Z',
  urgency: 'low',
  extra: { b: 1, a: [null] },
}

test('the entry of a create lists every value that is set, as the record shows it', async () => {
  const record = await createOrder(service, values)
  const [entry, ...more] = await historyOf(record.id)
  assert.deepEqual(more, [])
  assert.equal(entry?.operation, 'create')
  const expected = { number: record.number, ...values }
  assert.deepEqual(
    entry?.changes,
    Object.fromEntries(Object.entries(expected).map(([name, after]) => [name, { after }])),
  )
  assert.deepEqual(entry?.user, { id: 1, full_name: 'Administrator' })
  assert.equal(entry?.comment, null)
  assert.equal(entry?.at, record._created_at)
})

test('the entry of a change lists before and after of exactly the fields that differ', async () => {
  const { id } = await createOrder(service, values)
  const body = { ...values, notes: null, serial: 7, total: '2', extra: [1], group: 'new' }
  await ask('PATCH', `/order/${id}`, { body, as: users.clerk })
  assert.equal(
    (await historyOf(id)).length,
    1,
    'the clerk cannot read records of others, so the change is rejected',
  )
  await ask('PATCH', `/order/${id}`, { body })
  const [entry] = await historyOf(id)
  assert.deepEqual(entry?.changes, {
    notes: { before: 'a "b"\n', after: null },
    serial: { before: '9223372036854775807', after: 7 },
    total: { before: '1.50', after: '2.00' },
    extra: { before: { b: 1, a: [null] }, after: [1] },
    group: { before: null, after: 'new' },
  })
})

test('a rejected change adds no entry', async () => {
  const { id } = await createOrder(service)
  await ask('PATCH', `/order/${id}`, { body: { quantity: 0 } })
  await ask('PATCH', `/order/${id}`, { body: { notes: 'x' }, headers: { 'If-Match': '"9"' } })
  await ask('PATCH', `/order/${id}`, { body: { notes: 'x', supplier_id: 4711 } })
  assert.equal((await historyOf(id)).length, 1)
})

test('the newest entry comes first, and pages cover all entries without overlap', async () => {
  const { id } = await createOrder(service, { notes: '0' })
  for (const notes of ['1', '2', '3', '4']) await ask('PATCH', `/order/${id}`, { body: { notes } })
  const pageOf = async (page: number): Promise<Entry[]> =>
    (await ask('GET', `/order/${id}/history?limit=2&page=${page}`)).json().data
  const pages = [await pageOf(1), await pageOf(2), await pageOf(3), await pageOf(4)]
  assert.deepEqual(
    pages.map((page) => page.map(({ changes }) => changes.notes?.after)),
    [['4', '3'], ['2', '1'], ['0'], []],
  )
})

test('paging: "values below 1, fractions and non-numbers are a 400"', async () => {
  const { id } = await createOrder(service)
  for (const query of ['limit=0', 'limit=-1', 'limit=1.5', 'limit=1001', 'page=0', 'page=abc']) {
    const reply = await ask('GET', `/order/${id}/history?${query}`)
    assert.deepEqual(invalidPaths(reply, 400), [query.split('=')[0]], query)
  }
})

test('callers who may not read users get the name of the user who acted too', async () => {
  const { id } = await createOrder(service, {}, users.buyer)
  const [seenByBuyer] = await historyOf(id, users.buyer)
  const [seenByAdministrator] = await historyOf(id)
  assert.deepEqual(seenByAdministrator?.user, {
    id: seenByBuyer?.user?.id,
    full_name: 'buyer Example',
  })
  assert.deepEqual(seenByBuyer?.user, seenByAdministrator?.user)
})

test('a history is filtered by who did it, by the field, and by whether it is about tasks', async () => {
  const { id } = await createOrder(service, { notes: '0' })
  await ask('POST', `/order/${id}/takeOwnership`, { as: users.buyer })
  await ask('PATCH', `/order/${id}`, { body: { notes: '1' }, as: users.buyer })
  await ask('PATCH', `/order/${id}`, { body: { quantity: 7, margin: '1.00' } })
  await ask('POST', `/order/${id}/task`, { body: { description: 'Call' } })
  const { id: buyerId } = (await ask('GET', '/api/me', { as: users.buyer })).json()
  const operationsOf = async (query: string, as?: string) => {
    const reply = await ask('GET', `/order/${id}/history?${query}`, as === undefined ? {} : { as })
    assert.equal(reply.status, 200, reply.text)
    return reply.json().data.map(({ operation }: Entry) => operation)
  }
  assert.deepEqual(await operationsOf(`user=${buyerId}`), ['change', 'takeOwnership'])
  assert.deepEqual(await operationsOf('field=quantity'), ['change'])
  assert.deepEqual(await operationsOf('field=notes'), ['change', 'create'])
  assert.deepEqual(await operationsOf('about=tasks'), ['createTask'])
  assert.deepEqual(await operationsOf(`about=record&user=${buyerId}&field=notes`), ['change'])
  for (const [query, as] of [
    ['field=nothing', undefined],
    ['field=margin', users.buyer],
    ['user=0', undefined],
    ['about=all', undefined],
  ] as const) {
    const reply = await ask('GET', `/order/${id}/history?${query}`, as ? { as } : {})
    assert.deepEqual(invalidPaths(reply, 400), [query.split('=')[0]], query)
  }
})
