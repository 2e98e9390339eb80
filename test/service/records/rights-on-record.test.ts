/** `may` of GET …/actions: what the caller may do with one record, as the writes themselves answer. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createAs, createOrder, sharedProject, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await sharedProject()
  ask = service.ask
})

type Who = keyof typeof users | 'administrator'
const asOf = (who: Who) => (who === 'administrator' ? {} : { as: users[who] })

const mayOf = async (path: string, who: Who): Promise<Record<string, boolean>> => {
  const reply = await ask('GET', `${path}/actions`, asOf(who))
  assert.equal(reply.status, 200, reply.text)
  return reply.json().may
}
const rights = (update: boolean, remove: boolean, takeOwnership: boolean, tasks: boolean) => ({
  ...{ update, delete: remove, takeOwnership, tasks },
})

describe('the rights on a record', () => {
  test('are those of the role; "own" covers what the caller created or owns', async () => {
    const { id } = await createOrder(service, {}, users.buyer)
    const path = `/order/${id}`
    assert.deepEqual(await mayOf(path, 'administrator'), rights(true, true, true, true))
    assert.deepEqual(await mayOf(path, 'buyer'), rights(true, true, true, false))
    assert.deepEqual(await mayOf(path, 'otherBuyer'), rights(false, false, true, false))
    await ask('POST', `${path}/takeOwnership`, { as: users.otherBuyer })
    assert.deepEqual(await mayOf(path, 'otherBuyer'), rights(true, true, true, false))
  })

  test('do not include taking over where records have no owner', async () => {
    const { id } = await createAs(service, 'country', { code: 'HR', name: 'Croatia' })
    assert.deepEqual(
      await mayOf(`/country/${id}`, 'administrator'),
      rights(true, true, false, true),
    )
    assert.deepEqual(await mayOf(`/country/${id}`, 'buyer'), rights(false, false, false, false))
  })

  test('do not include what a guard of native records refuses', async () => {
    const { data } = (await ask('GET', '/security_role?limit=100')).json()
    const idOf = (key: string) => data.find((role: { key: string }) => role.key === key).id
    const ofUser = (who: Who) => mayOf('/user/1', who)
    assert.deepEqual(await ofUser('administrator'), rights(true, true, false, true))
    assert.deepEqual(await ofUser('registrar'), rights(false, false, false, false))
    const ofRole = (key: string) => mayOf(`/security_role/${idOf(key)}`, 'registrar')
    assert.deepEqual(await ofRole('administrator'), rights(false, false, false, false))
    // Its file would create it again.
    assert.deepEqual(await ofRole('buyer'), rights(true, false, false, false))
  })

  test('agree with the answers to the writes', async () => {
    const { id } = await createOrder(service, {}, users.buyer)
    for (const who of ['administrator', 'buyer', 'otherBuyer'] as const) {
      const may = await mayOf(`/order/${id}`, who)
      const change = await ask('PATCH', `/order/${id}`, { body: { notes: who }, ...asOf(who) })
      assert.equal(change.status === 200, may.update, who)
      const body = { description: who }
      const task = await ask('POST', `/order/${id}/task`, { body, ...asOf(who) })
      assert.equal(task.status === 201, may.tasks, who)
    }
  })
})

test('records that may not be read or do not exist are a 404', async () => {
  const { id } = await createOrder(service, {}, users.buyer)
  for (const path of [`/order/${id}`, '/order/4711']) {
    const reply = await ask('GET', `${path}/actions`, asOf('clerk'))
    assert.deepEqual([reply.status, reply.json().code], [404, 'record.unknown'])
  }
  assert.equal((await ask('GET', `/order/${id}/actions`, asOf('nobody'))).status, 404)
  assert.equal((await ask('GET', `/country/1/actions`, asOf('clerk'))).status, 404)
})

test('a task is written below its record, so that nobody has rights on it as a record', async () => {
  const { id } = await createOrder(service, {}, users.buyer)
  const task = (await ask('POST', `/order/${id}/task`, { body: { description: 'x' } })).json()
  assert.deepEqual(
    await mayOf(`/task/${task.id}`, 'administrator'),
    rights(false, false, false, false),
  )
  const entities: { key: string; isPartOfRecord: boolean }[] = (
    await ask('GET', '/api/entities')
  ).json().data
  const parts = entities.filter(({ isPartOfRecord }) => isPartOfRecord)
  assert.deepEqual(
    parts.map(({ key }) => key),
    ['task'],
  )
})

test('an entity without a workflow has neither a step nor actions', async () => {
  const { id } = await createOrder(service)
  const { step, data } = (await ask('GET', `/order/${id}/actions`)).json()
  assert.deepEqual([step, data], [null, []])
})
