/** Conditions of permissions, and of two fields of a record: what a role may create, change and remove, and what the console offers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectionOf } from '../../support/database.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import type { AskOptions, Reply } from '../../support/service.ts'
import { buyer, clerk, isDraft, manager, startConditions } from './a-conditions-project.ts'

const { ask, pool, create, act, orderIn, orderWith } = await startConditions()

const refused = async (asked: Promise<Reply>, detail: RegExp) => {
  const reply = await asked
  assert.deepEqual([reply.status, reply.json().code], [403, 'caller.condition-not-met'], reply.text)
  assert.match(reply.json().detail, detail)
}

describe('a condition on changes', () => {
  const onStep =
    /The permission "update" of your role does not include order \d+: its condition on "_step" does not hold\.$/

  test('holds for the record as it is, and not for actions, which have their own', async () => {
    const id = await orderIn('draft', { cap: '5000.00' })
    const change = (cap: string) => ask('PATCH', `/order/${id}`, { ...buyer, body: { cap } })
    assert.equal((await change('6000.00')).status, 200)
    assert.equal((await act(id, 'submit', buyer)).status, 200)
    await refused(change('10.00'), onStep)
    // Also when the body is wrong: what may not be changed is not checked.
    await refused(change('ten'), onStep)
    assert.equal((await ask('POST', `/order/${id}/takeOwnership`, buyer)).status, 200)
    assert.equal((await act(id, 'withdraw', buyer)).status, 200)
    assert.equal((await change('10.00')).status, 200)
    assert.equal((await ask('GET', `/order/${id}`)).json().cap, '10.00')
  })

  test('holds for the record as it would be', async () => {
    const id = await create('order', { cap: '90.00' })
    const change = (cap: string) => ask('PATCH', `/order/${id}`, { ...manager, body: { cap } })
    assert.equal((await change('100.00')).status, 200)
    // The step is hidden from the role.
    await refused(
      change('100.01'),
      /does not include order \d+: its condition on "cap" and your "limit" would not hold then\.$/,
    )
    assert.equal((await ask('GET', `/order/${id}`)).json().cap, '100.00')
    assert.equal((await ask('GET', `/order/${id}/history`)).json().data.length, 2)
    await ask('PATCH', `/order/${id}`, { body: { cap: '100.01' } })
    await refused(change('1.00'), / does not hold\.$/)
  })

  test('is that of a linked record: lines of an order follow its step', async () => {
    const [draft, review] = [await orderIn('draft'), await orderIn('review')]
    const line = await create('line', { order_id: draft, amount: '1' })
    const fixed = await create('line', { order_id: review, amount: '1' })
    const change = (id: number, body: object) => ask('PATCH', `/line/${id}`, { ...buyer, body })
    assert.equal((await change(line, { amount: '2' })).status, 200)
    await refused(change(fixed, { amount: '2' }), /"order\._step" does not hold\.$/)
    await refused(change(line, { order_id: review }), /would not hold then/)
    await refused(change(line, { order_id: null }), /would not hold then/)
    await refused(change(fixed, { order_id: draft }), /does not hold/)
    await refused(ask('DELETE', `/line/${fixed}`, buyer), /"delete"/)
  })

  test('is asked after the lock, of the record as of a linked one: what another transaction has committed counts', async () => {
    const { id, lines } = await orderWith(['1.00', '2.00'])
    const other = await connectionOf(pool)
    await other.query('BEGIN')
    await other.query(`UPDATE records."order" SET _step = 'review' WHERE id = $1`, [id])
    const waiting = [
      ask('PATCH', `/order/${id}`, { ...buyer, body: { cap: '2.00' } }),
      ask('POST', '/line', { ...buyer, body: { order_id: id, amount: '5.00' } }),
      ask('PATCH', `/line/${lines[0]}`, { ...buyer, body: { amount: '6.00' } }),
      ask('DELETE', `/line/${lines[1]}`, buyer),
    ]
    await untilWaitingForLock(pool, 4)
    await other.query('COMMIT')
    for (const asked of waiting) await refused(asked, /"(order\.)?_step"/)
    assert.equal((await ask('GET', `/order/${id}`)).json().total, '3.00')
  })

  test('is in the answer of a bulk write for each record', async () => {
    const [draft, review] = [await orderIn('draft'), await orderIn('review')]
    for (const dryRun of [true, false]) {
      const body = { ids: [draft, review], do: { change: { number: 'B-1' } }, dryRun }
      const reply = await ask('POST', '/order/bulk', { ...buyer, body })
      const { data } = reply.json()
      const codes = data.map((one: { id: number; code: unknown }) => [one.id, one.code])
      const expected = [
        [draft, null],
        [review, 'caller.condition-not-met'],
      ]
      assert.deepEqual(codes, expected, reply.text)
    }
  })
})

test('a condition on new records holds for what is created, or nothing is', async () => {
  const [draft, review] = [await orderIn('draft'), await orderIn('review')]
  const post = (body: object, headers: Record<string, string> = {}) =>
    ask('POST', '/line', { ...buyer, body, headers })
  assert.equal((await post({ order_id: draft, amount: '3' })).status, 201)
  for (const headers of [{}, { 'Idempotency-Key': 'refused-line' }])
    await refused(
      post({ order_id: review, amount: '3' }, headers),
      /does not include this record of line: its condition on "order\._step" and "amount" would not hold then\.$/,
    )
  await refused(post({ order_id: draft, amount: '0' }), /would not hold then/)
  await refused(post({ amount: '1' }), /would not hold then/)
  const lines = { body: { $where: { order_id: review } } }
  assert.deepEqual((await ask('POST', '/line/search', lines)).json().data, [])
  await refused(ask('POST', '/order', { ...manager, body: { cap: '100.01' } }), /"cap"/)
  assert.equal((await ask('POST', '/order', { ...manager, body: { cap: '9' } })).status, 201)
})

test('a condition on removing holds for restoring too', async () => {
  const id = await orderIn('draft')
  const line = await create('line', { order_id: id })
  assert.equal((await ask('DELETE', `/line/${line}`, buyer)).status, 204)
  await act(id, 'submit')
  await refused(ask('POST', `/line/${line}/restore`, buyer), /"delete".*"order\._step"/)
  await act(id, 'withdraw')
  assert.equal((await ask('POST', `/line/${line}/restore`, buyer)).status, 200)
  await act(id, 'submit')
  await refused(ask('DELETE', `/order/${id}`, buyer), /"delete".*"_step"/)
  assert.equal((await ask('DELETE', `/order/${id}`)).status, 204)
})

describe('what is offered', () => {
  test('follows the conditions, says which do not hold, and what may be created below', async () => {
    const offers = async (id: number, who: AskOptions = {}) => {
      const reply = (await ask('GET', `/order/${id}/actions`, who)).json()
      const { may, unmetRights, mayCreate } = reply
      return { may: [may.update, may.delete, may.takeOwnership], unmetRights, mayCreate }
    }
    const [draft, review] = [await orderIn('draft'), await orderIn('review')]
    assert.deepEqual(await offers(draft, buyer), {
      may: [true, true, true],
      unmetRights: [],
      mayCreate: { lines: true, remarks: true },
    })
    const onStep = { fields: ['_step'], callerFields: [], message: null }
    assert.deepEqual(await offers(review, buyer), {
      may: [false, false, true],
      unmetRights: [
        { right: 'update', ...onStep },
        { right: 'delete', ...onStep },
      ],
      mayCreate: { lines: false, remarks: true },
    })
    assert.deepEqual((await offers(review)).mayCreate, { lines: true, remarks: true })
    // Neither the step nor the lines are theirs to see.
    assert.deepEqual(await offers(await orderIn('review', { cap: '1' }), manager), {
      may: [false, false, false],
      unmetRights: [{ right: 'update', fields: ['cap'], callerFields: ['limit'], message: null }],
      mayCreate: {},
    })
  })

  test('in definitions names the rights that have a condition; administrators read the conditions', async () => {
    const own = (await ask('GET', '/api/entities/line', buyer)).json()
    assert.deepEqual(own.permissions.conditional, ['create', 'update', 'delete'])
    assert.equal('roles' in own, false)
    const { permissions, roles } = (await ask('GET', '/api/entities/order')).json()
    assert.deepEqual(permissions.conditional, [])
    const ofBuyer = roles.find(({ key }: { key: string }) => key === 'buyer')
    assert.deepEqual(ofBuyer.conditions, { update: isDraft, delete: isDraft })
  })
})

describe('a condition on two fields', () => {
  test('of an action opens it where it holds, and names the fields that the caller may read', async () => {
    const within = await create('project', { spent: '10.00', budget: 10 })
    const above = await create('project', { spent: '10.01', budget: 10 })
    const unknown = await create('project', { spent: '10.01' })
    const asked = { ...clerk, body: { ids: [within, above, unknown] } }
    const { data } = (await ask('POST', '/project/actions', asked)).json()
    assert.deepEqual(data[0].ids, [within])
    const take = (id: number) =>
      ask('POST', `/project/${id}/proceedToStep`, { ...clerk, body: { action: 'end' } })
    const reply = await take(above)
    assert.equal(reply.json().code, 'workflow.condition-not-met')
    assert.match(reply.json().detail, /its condition on "spent" does not hold/)
    assert.equal((await take(within)).status, 200)
  })

  test('of a notification rule applies to the records that match it', async () => {
    for (const [values, matches] of [
      [{ spent: '10.01', budget: 10 }, true],
      [{ spent: '10.00', budget: 10 }, false],
      [{ spent: '10.00' }, false],
    ] as const) {
      const entityId = await create('project', values)
      const body = { entityKey: 'project', entityId, operation: 'create' }
      const reply = await ask('POST', '/api/notifications/explain', { body })
      assert.equal(reply.json().entries[0].matches, matches)
    }
  })
})
