/** GET /api/approvals and its count: the records that wait for a decision of the caller. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  ask,
  createRequest,
  createReviewed,
  proceed,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

shareWorkflows()

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
/** Ids of the requests among them. */
const idsAs = async (as?: string, query?: string) =>
  (await listAs(as, query)).flatMap(({ entity, id }) => (entity === 'request' ? [id] : []))
const countAs = async (as?: string) => {
  const reply = await ask('GET', '/api/approvals/count', as === undefined ? {} : { as })
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}

test('an entry shows the record, the actions that decide, and who brought it there when', async () => {
  const id = await createRequest({ title: 'Desks' }, users.buyer)
  await proceed(id, { action: 'submit' }, { as: users.buyer })
  const list = await listAs(users.approver)
  const entry = list.find((one) => one.entity === 'request' && one.id === id)
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
  assert.deepEqual(await countAs(users.approver), { count: list.length, isCapped: false })
})

describe('the list', () => {
  test('contains what waits for the caller only, within what the caller may read', async () => {
    const own = await createReviewed({}, users.buyer)
    const other = await createReviewed()
    const draft = await createRequest()
    const ofApprover = await idsAs(users.approver)
    assert.ok(ofApprover.includes(own) && ofApprover.includes(other))
    assert.ok(!ofApprover.includes(draft))
    const ofBuyer = await listAs(users.buyer)
    const idsOfBuyer = await idsAs(users.buyer)
    assert.ok(idsOfBuyer.includes(own) && !idsOfBuyer.includes(other))
    assert.equal((await countAs(users.buyer)).count, ofBuyer.length)
    for (const as of [users.reader, users.nonreader]) {
      assert.deepEqual(await listAs(as), [])
      assert.deepEqual(await countAs(as), { count: 0, isCapped: false })
    }
  })

  test('is empty for a role that the step is hidden from', async () => {
    await createReviewed()
    assert.deepEqual(await listAs(users.hides_step), [])
    assert.equal((await countAs(users.hides_step)).count, 0)
  })

  test('names no hidden field in the forms', async () => {
    const id = await createReviewed({}, users.buyer)
    const entry = (await listAs(users.buyer)).find(
      (one) => one.entity === 'request' && one.id === id,
    )
    assert.deepEqual(
      entry?.actions.map(({ key }) => key),
      ['approve', 'cancel'],
    )
    assert.ok(!JSON.stringify(entry).includes('margin'))
  })

  test('no longer contains a record that was decided or removed', async () => {
    const decided = await createReviewed()
    const removed = await createReviewed()
    const { count } = await countAs()
    const body = { action: 'approve', values: { approver_id: 1 } }
    assert.equal((await proceed(decided, body)).status, 200)
    await ask('DELETE', `/request/${removed}`)
    const ids = await idsAs()
    assert.ok(!ids.includes(decided) && !ids.includes(removed))
    assert.equal((await countAs()).count, count - 2)
  })

  test('begins with what has waited longest; an action that stays in the step changes nothing', async () => {
    const [first, second] = [await createReviewed(), await createReviewed()]
    const price = { action: 'price', values: { margin: '1', amount: '1' } }
    assert.equal((await proceed(first, price)).status, 200)
    const oldest = await listAs()
    assert.deepEqual((await idsAs()).slice(-2), [first, second])
    assert.deepEqual(await idsAs(undefined, 'order=newest&limit=2'), [second, first])
    assert.deepEqual(await listAs(undefined, 'limit=1&page=1'), oldest.slice(0, 1))
    assert.deepEqual(await listAs(undefined, 'limit=1&page=2'), oldest.slice(1, 2))
    assert.deepEqual(await listAs(undefined, 'page=1000000000'), [])
  })
})

describe('claims', () => {
  const claim = async (amount: number, isSent: boolean): Promise<number> => {
    const { id } = (await ask('POST', '/claim', { body: { amount } })).json()
    if (isSent) await ask('POST', `/claim/${id}/proceedToStep`, { body: { action: 'send' } })
    return id
  }
  const keysOf = (list: readonly Approval[], id: number) =>
    list.find((one) => one.id === id)?.actions.map(({ key }) => key)
  const listClaims = (query = '') => listAs(undefined, `entity=claim&limit=1000${query}`)

  test('are listed with the actions that are open, although a key may be a part of another', async () => {
    const [low, high] = [await claim(10, true), await claim(5000, true)]
    const list = await listClaims()
    assert.deepEqual(keysOf(list, low), ['approve', 'no'])
    assert.deepEqual(keysOf(list, high), ['approve_board', 'not_now'])
  })

  test('that can be approved come before those that can only be rejected', async () => {
    const [entered, sent] = [await claim(10, false), await claim(10, true)]
    for (const order of ['oldest', 'newest']) {
      const ids = (await listClaims(`&order=${order}`)).map(({ id }) => id)
      assert.ok(ids.indexOf(sent) < ids.indexOf(entered), order)
    }
  })

  test('are filtered by the key or the kind of an action', async () => {
    const [entered, low, high] = [
      await claim(1, false),
      await claim(1, true),
      await claim(5000, true),
    ]
    for (const [name, found] of [
      ['approve', [low]],
      ['approveWorkflow', [low, high]],
      ['rejectWorkflow', [entered, low, high]],
      ['refuse', [entered]],
    ] as const) {
      const list = await listClaims(`&action=${name}`)
      const own = list.filter(({ id }) => id === entered || id === low || id === high)
      assert.deepEqual(new Set(own.map(({ id }) => id)), new Set<number>(found), name)
      const { count } = (
        await ask('GET', `/api/approvals/count?entity=claim&action=${name}`)
      ).json()
      assert.equal(count, list.length, name)
    }
  })

  for (const [query, status] of [
    ['entity=clam', 404],
    ['action=aprove', 400],
    ['entity=claim&action=pay', 400],
  ] as const)
    test(`are not filtered by ${query}`, async () => {
      assert.equal((await ask('GET', `/api/approvals?${query}`)).status, status)
    })
})
