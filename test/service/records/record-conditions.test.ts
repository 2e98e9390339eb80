/** Conditions of permissions: which records a role may create, change and remove. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { buyer, manager, startConditional } from './a-conditional-project.ts'

type Started = Awaited<ReturnType<typeof startConditional>>
let service: TestService
let ask: Started['ask']
let create: Started['create']
let act: Started['act']
let orderIn: Started['orderIn']
before(async () => {
  const started = await startConditional()
  ;({ service, ask, create, act, orderIn } = started)
})
after(() => service.stop())

const refused = async (asked: ReturnType<Started['ask']>, detail: RegExp) => {
  const reply = await asked
  assert.deepEqual([reply.status, reply.json().code], [403, 'caller.condition-not-met'], reply.text)
  assert.match(reply.json().detail, detail)
}

describe('a condition on changes', () => {
  const onStep =
    /The permission "update" of your role does not include order \d+: its condition on "_step" does not hold\.$/

  test('holds for the record as it is, and not for actions, which have their own', async () => {
    const id = await orderIn('draft', { total: '5000.00' })
    const change = (total: string) => ask('PATCH', `/order/${id}`, { ...buyer, body: { total } })
    assert.equal((await change('6000.00')).status, 200)
    assert.equal((await act(id, 'submit', buyer)).status, 200)
    await refused(change('10.00'), onStep)
    // Also when the body is wrong: what may not be changed is not checked.
    await refused(change('ten'), onStep)
    assert.equal((await ask('POST', `/order/${id}/takeOwnership`, buyer)).status, 200)
    assert.equal((await act(id, 'withdraw', buyer)).status, 200)
    assert.equal((await change('10.00')).status, 200)
    assert.equal((await ask('GET', `/order/${id}`)).json().total, '10.00')
  })

  test('holds for the record as it would be', async () => {
    const id = await create('order', { total: '90.00' })
    const change = (body: object) => ask('PATCH', `/order/${id}`, { ...manager, body })
    assert.equal((await change({ total: '100.00' })).status, 200)
    // The step is hidden from the role.
    await refused(
      change({ total: '100.01' }),
      /does not include order \d+: its condition on "total" and your "limit" would not hold then\.$/,
    )
    const history = (await ask('GET', `/order/${id}/history`)).json().data
    assert.equal((await ask('GET', `/order/${id}`)).json().total, '100.00')
    assert.equal(history.length, 2)
    await ask('PATCH', `/order/${id}`, { body: { total: '100.01' } })
    await refused(change({ total: '1.00' }), / does not hold\.$/)
  })

  test('is that of a linked record: lines of an order follow its step', async () => {
    const [draft, review] = [await orderIn('draft'), await orderIn('review')]
    const line = await create('line', { order_id: draft, price: 1 })
    const fixed = await create('line', { order_id: review, price: 1 })
    const change = (id: number, body: object) => ask('PATCH', `/line/${id}`, { ...buyer, body })
    assert.equal((await change(line, { price: 2 })).status, 200)
    await refused(change(fixed, { price: 2 }), /"order\._step" does not hold\.$/)
    await refused(change(line, { order_id: review }), /would not hold then/)
    await refused(change(line, { order_id: null }), /would not hold then/)
    await refused(change(fixed, { order_id: draft }), /does not hold/)
    await refused(ask('DELETE', `/line/${fixed}`, buyer), /"delete"/)
  })

  test('is asked after the lock: what another transaction has committed counts', async () => {
    const id = await orderIn('draft', { total: '1.00' })
    const other = await service.database.pool.connect()
    try {
      await other.query('BEGIN')
      await other.query('SELECT FROM records."order" WHERE id = $1 FOR UPDATE', [id])
      const change = ask('PATCH', `/order/${id}`, { ...buyer, body: { total: '2.00' } })
      await until('the change waits for the lock', async () => {
        const waiting = await service.database.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        return waiting.rowCount === 1
      })
      await other.query(`UPDATE records."order" SET _step = 'review' WHERE id = $1`, [id])
      await other.query('COMMIT')
      await refused(change, onStep)
    } finally {
      other.release()
    }
  })

  test('is in the answer of a bulk write for each record', async () => {
    const [draft, review] = [await orderIn('draft'), await orderIn('review')]
    const request = { ids: [draft, review], do: { change: { number: 'B-1' } } }
    for (const dryRun of [true, false]) {
      const reply = await ask('POST', '/order/bulk', { ...buyer, body: { ...request, dryRun } })
      const { data } = reply.json()
      assert.deepEqual(
        data.map(({ id, code }: { id: number; code: string | null }) => [id, code]),
        [
          [draft, null],
          [review, 'caller.condition-not-met'],
        ],
        reply.text,
      )
    }
  })
})

describe('a condition on new records', () => {
  test('holds for what is created, or nothing is', async () => {
    const [draft, review] = [await orderIn('draft'), await orderIn('review')]
    const post = (body: object, headers: Record<string, string> = {}) =>
      ask('POST', '/line', { ...buyer, body, headers })
    assert.equal((await post({ order_id: draft, price: 3 })).status, 201)
    for (const headers of [{}, { 'Idempotency-Key': 'refused-line' }])
      await refused(
        post({ order_id: review, price: 3 }, headers),
        /does not include this record of line: its condition on "order\._step" and "price" would not hold then\.$/,
      )
    await refused(post({ order_id: draft, price: 0 }), /would not hold then/)
    await refused(post({ price: 1 }), /would not hold then/)
    const { data } = (
      await ask('POST', '/line/search', { body: { $where: { order_id: review } } })
    ).json()
    assert.deepEqual(data, [])
    await refused(ask('POST', '/order', { ...manager, body: { total: '100.01' } }), /"total"/)
    assert.equal((await ask('POST', '/order', { ...manager, body: { total: '9' } })).status, 201)
  })
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
