/** What a caller has changed: all entities, the newest first, and nothing that they may not see any more. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addOwnUser, createOrder, sharedProject } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let buyer: string
let clerk: string
let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await sharedProject()
  buyer = await addOwnUser(service, 'buyer')
  clerk = await addOwnUser(service, 'clerk')
  ask = service.ask
})

type OwnChange = {
  entity: string
  entity_id: number
  task_id: number | null
  operation: string
  changes: Record<string, { before?: unknown; after: unknown }>
}

const ownChanges = async (as: string | undefined, query = '') => {
  const reply = await ask('GET', `/api/changes${query}`, as === undefined ? {} : { as })
  assert.equal(reply.status, 200, reply.text)
  return reply.json() as { data: OwnChange[]; next: number | null }
}

const summary = ({ entity, entity_id: id, operation }: OwnChange) => [entity, id, operation]

test('changes of the caller in all entities come newest first, without those of others', async () => {
  const supplier = (await ask('POST', '/supplier', { body: { code: 'OC-1' }, as: clerk })).json()
  const { id } = await createOrder(service, { notes: '0' }, clerk)
  await ask('PATCH', `/order/${id}`, { body: { notes: '1' }, as: clerk })
  await ask('PATCH', `/order/${id}`, { body: { notes: '2' } })
  const { data, next } = await ownChanges(clerk)
  assert.deepEqual(data.map(summary), [
    ['order', id, 'change'],
    ['order', id, 'create'],
    ['supplier', supplier.id, 'create'],
  ])
  assert.deepEqual(data[0]?.changes, { notes: { before: '0', after: '1' } })
  assert.equal(next, null)
})

test('pages cover all of them, and go on behind what is not shown', async () => {
  const { id } = await createOrder(service, { notes: '0' }, buyer)
  for (const notes of ['1', '2', '3'])
    await ask('PATCH', `/order/${id}`, { body: { notes }, as: buyer })
  const first = await ownChanges(buyer, '?limit=3')
  const second = await ownChanges(buyer, `?limit=3&before=${first.next}`)
  assert.deepEqual(
    [...first.data, ...second.data].map(({ changes }) => changes.notes?.after),
    ['3', '2', '1', '0'],
  )
  assert.equal(second.next, null)
})

test('a record that somebody else has removed is not named to those who may not restore it', async () => {
  const { id } = (await ask('POST', '/supplier', { body: { code: 'OC-2' }, as: clerk })).json()
  const isNamed = async () =>
    (await ownChanges(clerk)).data.some((one) => one.entity === 'supplier' && one.entity_id === id)
  assert.equal(await isNamed(), true)
  await ask('DELETE', `/supplier/${id}`)
  assert.equal(await isNamed(), false)
})

test('what the caller has removed is named to those who may restore it', async () => {
  const { id } = await createOrder(service, {}, buyer)
  await ask('DELETE', `/order/${id}`, { as: buyer })
  const [last] = (await ownChanges(buyer)).data
  assert.deepEqual(last && summary(last), ['order', id, 'remove'])
})

test('tasks of a record are named to those who may see its tasks', async () => {
  const { id } = await createOrder(service)
  const { id: buyerId } = (await ask('GET', '/api/me', { as: buyer })).json()
  const body = { description: 'Call', assigne_id: buyerId }
  const task = (await ask('POST', `/order/${id}/task`, { body })).json()
  const [created] = (await ownChanges(undefined)).data
  assert.deepEqual([created?.task_id, created?.operation], [task.id, 'createTask'])
  const completed = await ask('PUT', `/order/${id}/${task.id}`, {
    ...{ body: { is_completed: true }, as: buyer },
  })
  assert.equal(completed.status, 204, completed.text)
  const { data } = await ownChanges(buyer)
  assert.equal(
    data.some(({ task_id: taskId }) => taskId !== null),
    false,
  )
})
