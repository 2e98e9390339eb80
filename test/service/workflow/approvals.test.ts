/** GET /api/approvals and its count: the records that wait for a decision of the caller. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TestService } from '../../support/service.ts'
import {
  createRequest,
  createReviewed,
  issuesOf,
  proceed,
  startWorkflows,
  users,
} from './a-workflow-project.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await startWorkflows()
  ask = service.ask
})
after(() => service.stop())

type Approval = {
  entity: string
  id: number
  version: number
  display: string
  step: { key: string }
  actions: { key: string; form: { fields: { column: string }[] } | null }[]
  since: string
  by: { id: number; full_name: string | null } | null
}

const listAs = async (as?: string, query = 'limit=1000'): Promise<Approval[]> => {
  const reply = await ask('GET', `/api/approvals?${query}`, as === undefined ? {} : { as })
  assert.equal(reply.status, 200, reply.text)
  return reply.json().data
}
const idsAs = async (as?: string, query?: string) => (await listAs(as, query)).map(({ id }) => id)
const countAs = async (as?: string) => {
  const reply = await ask('GET', '/api/approvals/count', as === undefined ? {} : { as })
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}

test('an entry shows the record, the actions that decide, and who brought it there when', async () => {
  const id = await createRequest(service, { title: 'Desks' }, users.buyer)
  await proceed(service, id, { action: 'submit' }, { as: users.buyer })
  const [entry, ...others] = await listAs(users.approver)
  assert.ok(entry)
  assert.deepEqual(others, [])
  const [move] = (await ask('GET', `/request/${id}/history?limit=1`)).json().data
  const open = (await ask('GET', `/request/${id}/actions`, { as: users.approver })).json()
  assert.deepEqual(entry, {
    entity: 'request',
    id,
    version: 2,
    display: `${id}`,
    step: open.step,
    // `price` decides nothing.
    actions: open.data.filter(({ key }: { key: string }) => key !== 'price'),
    since: move.at,
    by: move.user,
    acting_user: null,
  })
  assert.equal(entry.by?.full_name, 'buyer Example')
  assert.deepEqual(await countAs(users.approver), { count: 1, isCapped: false })
})

describe('the list', () => {
  test('contains what waits for the caller only, within what the caller may read', async () => {
    const own = await createReviewed(service, {}, users.buyer)
    const other = await createReviewed(service)
    const draft = await createRequest(service)
    const ofApprover = await idsAs(users.approver)
    assert.ok(ofApprover.includes(own) && ofApprover.includes(other))
    assert.ok(!ofApprover.includes(draft))
    const ofBuyer = await listAs(users.buyer)
    assert.ok(ofBuyer.some(({ id }) => id === own) && ofBuyer.every(({ id }) => id !== other))
    assert.equal((await countAs(users.buyer)).count, ofBuyer.length)
    for (const as of [users.reader, users.nonreader]) {
      assert.deepEqual(await listAs(as), [])
      assert.deepEqual(await countAs(as), { count: 0, isCapped: false })
    }
  })

  test('is empty for a role that the step is hidden from', async () => {
    await createReviewed(service)
    assert.deepEqual(await listAs(users.hides_step), [])
    assert.equal((await countAs(users.hides_step)).count, 0)
  })

  test('names no hidden field in the forms', async () => {
    const id = await createReviewed(service, {}, users.buyer)
    const entry = (await listAs(users.buyer)).find((one) => one.id === id)
    assert.deepEqual(
      entry?.actions.map(({ key }) => key),
      ['approve', 'cancel'],
    )
    assert.ok(!JSON.stringify(entry).includes('margin'))
  })

  test('no longer contains a record that was decided or removed', async () => {
    const decided = await createReviewed(service)
    const removed = await createReviewed(service)
    const { count } = await countAs()
    const body = { action: 'approve', values: { approver_id: 1 } }
    assert.equal((await proceed(service, decided, body)).status, 200)
    await ask('DELETE', `/request/${removed}`)
    const ids = await idsAs()
    assert.ok(!ids.includes(decided) && !ids.includes(removed))
    assert.equal((await countAs()).count, count - 2)
  })

  test('begins with what has waited longest; an action that stays in the step changes nothing', async () => {
    const [first, second] = [await createReviewed(service), await createReviewed(service)]
    const price = { action: 'price', values: { margin: '1', amount: '1' } }
    assert.equal((await proceed(service, first, price)).status, 200)
    const oldest = await idsAs()
    assert.deepEqual(oldest.slice(-2), [first, second])
    assert.deepEqual(await idsAs(undefined, 'order=newest&limit=2'), [second, first])
    assert.deepEqual(await idsAs(undefined, 'limit=2&page=1'), oldest.slice(0, 2))
    assert.deepEqual(await idsAs(undefined, 'limit=2&page=2'), oldest.slice(2, 4))
    assert.deepEqual(await idsAs(undefined, 'page=1000000000'), [])
  })
})

test('parameters are checked, and a caller is needed', async () => {
  assert.deepEqual(issuesOf(await ask('GET', '/api/approvals?limit=1001'), 400), [
    'limit must be a whole number from 1 to 1000, not "1001"',
  ])
  assert.equal((await ask('GET', '/api/approvals?order=random')).status, 400)
  assert.equal((await ask('GET', '/api/approvals/count?limit=1')).status, 400)
  for (const path of ['/api/approvals', '/api/approvals/count'])
    assert.equal((await ask('GET', path, { as: null })).status, 401)
})
