/** History: "who did what when: create, changes field by field, ownership", of a record and of a caller. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addOwnUser,
  createAs,
  createOrder,
  invalidPaths,
  nextNumber,
  sharedProject,
  users,
} from '../../support/a-project.ts'

type Entry = {
  operation: string
  changes: Record<string, { before?: unknown; after: unknown }>
  comment: string | null
  user: { id: number; full_name: string | null } | null
  at: string
}
type OwnChange = Pick<Entry, 'operation' | 'changes'> & {
  entity: string
  entity_id: number
  task_id: number | null
}

const service = await sharedProject()
const { ask } = service
const buyer = await addOwnUser(service, 'buyer')
const clerk = await addOwnUser(service, 'clerk')
const buyerId: number = (await ask('GET', '/api/me', { as: buyer })).json().id

const historyOf = async (id: number, query = '', as?: string): Promise<Entry[]> =>
  (await ask('GET', `/order/${id}/history?${query}`, { as })).json(200).data
const change = (id: number, body: object, as?: string) => ask('PATCH', `/order/${id}`, { body, as })

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
  assert.ok(entry)
  const { operation, changes, user, comment, at } = entry
  const after = Object.entries({ number: record.number, ...values })
  assert.deepEqual(changes, Object.fromEntries(after.map(([name, after]) => [name, { after }])))
  assert.deepEqual(
    { operation, user, comment, at, more },
    {
      operation: 'create',
      user: { id: 1, full_name: 'Administrator' },
      comment: null,
      at: record._created_at,
      more: [],
    },
  )
})

test('the entry of a change lists before and after of exactly the fields that differ; a refused one has no entry', async () => {
  const { id } = await createOrder(service, values)
  const body = { ...values, notes: null, serial: 7, total: '2', extra: [1], group: 'new' }
  // The clerk cannot read records of others.
  await change(id, body, users.clerk)
  await change(id, { quantity: 0 })
  await change(id, { notes: 'x', supplier_id: 4711 })
  assert.equal((await historyOf(id)).length, 1)
  await change(id, body)
  const [entry] = await historyOf(id)
  assert.deepEqual(entry?.changes, {
    notes: { before: 'a "b"\n', after: null },
    serial: { before: '9223372036854775807', after: 7 },
    total: { before: '1.50', after: '2.00' },
    extra: { before: { b: 1, a: [null] }, after: [1] },
    group: { before: null, after: 'new' },
  })
})

test('the newest entry comes first, and pages cover all entries without overlap', async () => {
  const { id } = await createOrder(service, { notes: '0' })
  for (const notes of ['1', '2', '3', '4']) await change(id, { notes })
  const pages = ['4 3', '2 1', '0', '']
  for (const [index, expected] of pages.entries()) {
    const page = await historyOf(id, `limit=2&page=${index + 1}`)
    assert.equal(page.map(({ changes }) => changes.notes?.after).join(' '), expected)
  }
})

test('a history is filtered by who did it, by the field, and by whether it is about tasks', async () => {
  const { id } = await createOrder(service, { notes: '0' })
  await ask('POST', `/order/${id}/takeOwnership`, { as: buyer })
  await change(id, { notes: '1' }, buyer)
  await change(id, { quantity: 7, margin: '1.00' })
  await ask('POST', `/order/${id}/task`, { body: { description: 'Call' } })
  for (const [query, ...operations] of [
    [`user=${buyerId}`, 'change', 'takeOwnership'],
    ['field=quantity', 'change'],
    ['field=notes', 'change', 'create'],
    ['about=tasks', 'createTask'],
    [`about=record&user=${buyerId}&field=notes`, 'change'],
  ] as const) {
    const entries = await historyOf(id, query)
    assert.deepEqual(
      entries.map(({ operation }) => operation),
      operations,
      query,
    )
  }
  const unknown = await ask('GET', `/order/${id}/history?field=nothing`)
  assert.deepEqual(invalidPaths(unknown, 400), ['field'])
})

const ownChanges = async (as: string | undefined, query = '') =>
  (await ask('GET', `/api/changes${query}`, { as })).json(200) as {
    data: OwnChange[]
    next: number | null
  }
const summary = ({ entity, entity_id: id, operation }: OwnChange) => [entity, id, operation]

test('changes of the caller in all entities come newest first, without those of others', async () => {
  const as = await addOwnUser(service, 'clerk')
  const supplier = await createAs(service, 'supplier', { code: nextNumber() }, as)
  const { id } = await createOrder(service, { notes: '0' }, as)
  await change(id, { notes: '1' }, as)
  await change(id, { notes: '2' })
  const { data, next } = await ownChanges(as)
  assert.deepEqual(data.map(summary), [
    ['order', id, 'change'],
    ['order', id, 'create'],
    ['supplier', supplier.id, 'create'],
  ])
  assert.deepEqual(data[0]?.changes, { notes: { before: '0', after: '1' } })
  assert.equal(next, null)
})

test('pages cover all own changes, and go on behind what is not shown', async () => {
  const as = await addOwnUser(service, 'buyer')
  const { id } = await createOrder(service, { notes: '0' }, as)
  for (const notes of ['1', '2', '3']) await change(id, { notes }, as)
  const first = await ownChanges(as, '?limit=3')
  const second = await ownChanges(as, `?limit=3&before=${first.next}`)
  const notes = [...first.data, ...second.data].map(({ changes }) => changes.notes?.after)
  assert.deepEqual(notes, ['3', '2', '1', '0'])
  assert.equal(second.next, null)
})

test('a removed record is named to those who may restore it', async () => {
  const { id } = await createAs(service, 'supplier', { code: nextNumber() }, clerk)
  const isNamed = async () =>
    (await ownChanges(clerk)).data.some((one) => one.entity === 'supplier' && one.entity_id === id)
  assert.equal(await isNamed(), true)
  await ask('DELETE', `/supplier/${id}`)
  assert.equal(await isNamed(), false)
  const order = await createOrder(service, {}, buyer)
  await ask('DELETE', `/order/${order.id}`, { as: buyer })
  const [last] = (await ownChanges(buyer)).data
  assert.deepEqual(last && summary(last), ['order', order.id, 'remove'])
})

test('own changes of tasks are named to those who may see the tasks of the record', async () => {
  const { id } = await createOrder(service)
  const body = { description: 'Call', assigne_id: buyerId }
  const task = (await ask('POST', `/order/${id}/task`, { body })).json()
  const [created] = (await ownChanges(undefined)).data
  assert.deepEqual([created?.task_id, created?.operation], [task.id, 'createTask'])
  const done = { body: { is_completed: true }, as: buyer }
  const completed = await ask('PUT', `/order/${id}/${task.id}`, done)
  assert.equal(completed.status, 204, completed.text)
  const { data } = await ownChanges(buyer)
  assert.ok(data.every(({ task_id: taskId }) => taskId === null))
})
