/** GET /api/approvals and its count: the records that wait for a decision of the caller. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  actionsOf,
  ask,
  createRequest,
  createReviewed,
  historyOf,
  keysOf,
  proceed,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

shareWorkflows()

type Approval = {
  entity: string
  id: number
  actions: { key: string }[]
  by: { full_name: string | null } | null
}

const read = async (path: string, as?: string) =>
  (await ask('GET', `/api/approvals${path}`, { as })).json(200)
const listAs = async (as?: string, query = 'limit=1000'): Promise<Approval[]> =>
  (await read(`?${query}`, as)).data
/** Ids of the requests among them. */
const idsAs = async (as?: string, query?: string) =>
  (await listAs(as, query)).flatMap(({ entity, id }) => (entity === 'request' ? [id] : []))
const entryOf = async (id: number, as: string) =>
  (await listAs(as)).find((one) => one.entity === 'request' && one.id === id)

test('an entry shows the record, the actions that decide, and who brought it there when', async () => {
  const id = await createRequest({ title: 'Desks' }, users.buyer)
  await proceed(id, { action: 'submit' }, { as: users.buyer })
  const entry = await entryOf(id, users.approver)
  const [move] = await historyOf(`/request/${id}`)
  const open = await actionsOf(`/request/${id}`, { as: users.approver })
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
  assert.equal(entry?.by?.full_name, 'buyer Example')
})

describe('the list', () => {
  test('contains what waits for the caller only, within what the caller may read', async () => {
    const own = await createReviewed({}, users.buyer)
    const other = await createReviewed()
    const draft = await createRequest()
    const found = async (as: string) => {
      const list = await idsAs(as)
      return [own, other, draft].map((id) => list.includes(id))
    }
    assert.deepEqual(await found(users.approver), [true, true, false])
    assert.deepEqual(await found(users.buyer), [true, false, false])
    const { length: count } = await listAs(users.buyer)
    assert.deepEqual(await read('/count', users.buyer), { count, isCapped: false })
    // `hides_step` may take actions, but the list would tell it the step.
    for (const as of [users.reader, users.nonreader, users.hides_step]) {
      assert.deepEqual(await listAs(as), [])
      assert.deepEqual(await read('/count', as), { count: 0, isCapped: false })
    }
  })

  test('names no hidden field in the forms', async () => {
    const entry = await entryOf(await createReviewed({}, users.buyer), users.buyer)
    assert.deepEqual(keysOf(entry?.actions ?? []), ['approve', 'cancel'])
    assert.ok(!JSON.stringify(entry).includes('margin'))
  })

  test('no longer contains a record that was decided or removed', async () => {
    const [decided, removed] = [await createReviewed(), await createReviewed()]
    const { count } = await read('/count')
    const body = { action: 'approve', values: { approver_id: 1 } }
    assert.equal((await proceed(decided, body)).status, 200)
    await ask('DELETE', `/request/${removed}`)
    const ids = await idsAs()
    assert.ok(!ids.includes(decided) && !ids.includes(removed))
    assert.equal((await read('/count')).count, count - 2)
  })

  test('begins with what has waited longest; an action that stays in the step changes nothing', async () => {
    const [first, second] = [await createReviewed(), await createReviewed()]
    const price = { action: 'price', values: { margin: '1', amount: '1' } }
    assert.equal((await proceed(first, price)).status, 200)
    const oldest = await listAs()
    assert.deepEqual((await idsAs()).slice(-2), [first, second])
    assert.deepEqual(await idsAs(undefined, 'order=newest&limit=2'), [second, first])
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
  const listClaims = (query = '') => listAs(undefined, `entity=claim&limit=1000${query}`)

  test('are listed with the actions that are open, although a key may be a part of another', async () => {
    const [low, high] = [await claim(10, true), await claim(5000, true)]
    const keys = new Map((await listClaims()).map(({ id, actions }) => [id, keysOf(actions)]))
    assert.deepEqual(keys.get(low), ['approve', 'no'])
    assert.deepEqual(keys.get(high), ['approve_board', 'not_now'])
  })

  test('that can be approved come before those that can only be rejected', async () => {
    const [entered, sent] = [await claim(10, false), await claim(10, true)]
    for (const order of ['oldest', 'newest']) {
      const ids = (await listClaims(`&order=${order}`)).map(({ id }) => id)
      assert.ok(ids.indexOf(sent) < ids.indexOf(entered), order)
    }
  })

  test('are filtered by the key or the kind of an action', async () => {
    const entered = await claim(1, false)
    const [low, high] = [await claim(1, true), await claim(5000, true)]
    for (const [name, ...found] of [
      ['approve', low],
      ['approveWorkflow', low, high],
      ['rejectWorkflow', low, high, entered],
      ['refuse', entered],
    ] as const) {
      const ids = (await listClaims(`&action=${name}`)).map(({ id }) => id)
      assert.deepEqual(
        [low, high, entered].filter((id) => ids.includes(id)),
        found,
        name,
      )
      const { count } = await read(`/count?entity=claim&action=${name}`)
      assert.equal(count, ids.length, name)
    }
    for (const [query, status] of [
      ['entity=clam', 404],
      ['action=aprove', 400],
      ['entity=claim&action=pay', 400],
    ] as const)
      assert.equal((await ask('GET', `/api/approvals?${query}`)).status, status, query)
  })
})
