/**
 * Writes that conditions decide on, or that others are calculated from: what decides is locked first, in one order, and is asked
 * after all that the write calculates, for one record as for many.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import type { Reply } from '../../support/service.ts'
import { author, buyer, clerk, startConditions } from './a-conditions-project.ts'

const { ask, pool, create, act, orderWith } = await startConditions()
const order = async (id: number) => (await ask('GET', `/order/${id}`)).json()
const outcomes = (reply: Reply): string[] => {
  assert.equal(reply.status, 200, reply.text)
  return reply
    .json()
    .data.map(({ status, code }: { status: string; code: string | null }) => code ?? status)
}
const unmet = 'caller.condition-not-met'

describe('conditions on what a write calculates elsewhere', () => {
  const writes: readonly [
    what: string,
    wanted: object,
    expected: readonly string[],
    kept: readonly unknown[],
  ][] = [
    ['a change', { change: { amount: '400.00' } }, ['done', 'done', unmet], ['900.00', 3]],
    ['a removal', { remove: true }, ['done', unmet, unmet], ['200.00', 2]],
    [
      'an action',
      { action: 'raise', values: { amount: '600.00' } },
      ['done', 'done', 'workflow.condition-not-met'],
      ['1300.00', 3],
    ],
  ]
  for (const [what, wanted, expected, kept] of writes)
    for (const dryRun of [true, false])
      test(`decide on ${what} of many records as on one after the other; dry run: ${dryRun}`, async () => {
        const amounts = ['100.00', '100.00', '100.00']
        const { id, lines } = await orderWith(amounts, { cap: '1000.00' })
        const body = { ids: lines, do: wanted, dryRun }
        const reply = await ask('POST', '/line/bulk', { ...clerk, body })
        assert.deepEqual(outcomes(reply), expected)
        const { total, line_count } = await order(id)
        assert.deepEqual([total, line_count], dryRun ? ['300.00', 3] : kept)
      })
})

describe('what a condition reads over a link', () => {
  test('stays as it is until the write ends: a submitted order keeps its lines', async () => {
    for (let turn = 0; turn < 3; turn++) {
      const { id, lines } = await orderWith(Array(8).fill('1.00'))
      const single = lines.pop() ?? 0
      const bulk = { ids: lines, do: { change: { amount: '9.00' } } }
      const [, , submitted] = await Promise.all([
        ask('POST', '/line/bulk', { ...buyer, body: bulk }),
        ask('PATCH', `/line/${single}`, { ...buyer, body: { amount: '9.00' } }),
        act(id, 'submit'),
        ask('POST', '/line', { ...buyer, body: { order_id: id, amount: '5.00' } }),
      ])
      assert.equal(submitted.status, 200, submitted.text)
      const { rows } = await pool.query(
        `SELECT count(*)::int AS late FROM docket.history l
         WHERE l.entity_key = 'line' AND l.user_id <> 1
           AND l.entity_id IN (SELECT id FROM records.line WHERE order_id = $1)
           AND l.id > (SELECT id FROM docket.history o WHERE o.entity_key = 'order'
             AND o.entity_id = $1 AND o.operation = 'proceedToStep')`,
        [id],
      )
      assert.deepEqual(rows, [{ late: 0 }])
    }
  })

  test('is locked for both of two records that decide on each other', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const one = await create('order', {})
      const other = await create('order', { twin_id: one })
      await ask('PATCH', `/order/${one}`, { body: { twin_id: other } })
      const replies = await Promise.all([act(one, 'pick'), act(other, 'pick')])
      const statuses = replies.map(({ status }) => status)
      assert.deepEqual(statuses.toSorted(), [200, 409], JSON.stringify(statuses))
    }
  })
})

describe('what a condition reads of a one-to-many field', () => {
  const remark = (order_id: number, text: string, more: object = {}) =>
    create('remark', { order_id, text, ...more })
  /** What is asked while an order is locked waits for it, or not. */
  const whileLocked = async (
    id: number,
    mode: string,
    waits: boolean,
    ask: () => Promise<Reply>,
  ): Promise<Reply> => {
    const other = await pool.connect()
    try {
      await other.query('BEGIN')
      await other.query(`SELECT FROM records."order" WHERE id = $1 FOR ${mode}`, [id])
      const reply = ask()
      await (waits ? untilWaitingForLock(pool) : reply)
      await other.query('COMMIT')
      return await reply
    } finally {
      other.release()
    }
  }

  test('decides: an action, and a permission to create', async () => {
    const id = await create('order', {})
    const statuses = async () => (await act(id, 'close')).status
    assert.equal(await statuses(), 409)
    const open = await remark(id, 'open')
    assert.match(
      (await act(id, 'close')).json(409).detail,
      /its condition on "remarks.id" and "remarks.text" does not hold/,
    )
    await remark(id, 'done', { place: 'last' })
    assert.equal(await statuses(), 409)
    const body = { order_id: id, text: 'late' }
    assert.equal((await ask('POST', '/remark', { ...author, body })).status, 403)
    const another = { order_id: await create('order', {}), text: 'first' }
    assert.equal((await ask('POST', '/remark', { ...author, body: another })).status, 201)
    await ask('DELETE', `/remark/${open}`)
    assert.equal(await statuses(), 200)
  })

  test('does not change before the decision is committed', async () => {
    const [id, elsewhere] = [await create('order', {}), await create('order', {})]
    const one = await remark(id, 'done')
    const [change, away] = [{ text: 'open' }, { order_id: elsewhere }]
    const writes: readonly [waits: boolean, status: number, write: () => Promise<Reply>][] = [
      [true, 201, () => ask('POST', '/remark', { body: { order_id: id, text: 'open' } })],
      [true, 200, () => ask('PATCH', `/remark/${one}`, { body: change })],
      [
        true,
        200,
        () => ask('POST', '/remark/bulk', { body: { ids: [one], do: { change: { text: 'x' } } } }),
      ],
      // What the conditions do not read may change.
      [false, 200, () => ask('PATCH', `/remark/${one}`, { body: { note: 'here' } })],
      [true, 204, () => ask('DELETE', `/remark/${one}`)],
      [true, 200, () => ask('POST', `/remark/${one}/restore`)],
      [true, 200, () => ask('PATCH', `/remark/${one}`, { body: away })],
      [true, 200, () => ask('PATCH', `/remark/${one}`, { body: { order_id: id } })],
    ]
    for (const [waits, status, write] of writes) {
      const reply = await whileLocked(id, 'NO KEY UPDATE', waits, write)
      assert.equal(reply.status, status, reply.text)
    }
  })

  test('is locked against others that decide by it: two writers of remarks share the lock of their order', async () => {
    const id = await create('order', {})
    const body = { order_id: id, text: 'a' }
    const asAuthor = () => ask('POST', '/remark', { ...author, body })
    assert.equal((await whileLocked(id, 'SHARE', true, asAuthor)).status, 201)
    assert.equal(
      (await whileLocked(id, 'SHARE', false, () => ask('POST', '/remark', { body }))).status,
      201,
    )
    assert.equal((await whileLocked(id, 'SHARE', true, () => act(id, 'close'))).status, 200)
  })

  test('holds when all is written at once', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const id = await create('order', {})
      const one = await remark(id, 'done')
      const write = (body: object, who = {}) =>
        ask('POST', '/remark', { ...who, body: { order_id: id, ...body } })
      await Promise.all([
        act(id, 'close'),
        ask('PATCH', `/remark/${one}`, { body: { text: 'open' } }),
        write({ text: 'open' }),
        write({ text: 'done', place: 'last' }),
        write({ text: 'done' }, author),
        write({ text: 'done' }, author),
      ])
      const { rows } = await pool.query(
        `WITH r AS (
           SELECT r.*, (SELECT max(h.id) FROM docket.history h
             WHERE h.entity_key = 'remark' AND h.entity_id = r.id) AS change
           FROM records.remark r WHERE order_id = $1
         )
         SELECT count(*) FILTER (WHERE text = 'open' AND change < (SELECT o.id FROM docket.history o
             WHERE o.entity_key = 'order' AND o.entity_id = $1 AND o.operation = 'proceedToStep'))::int AS early,
           count(*) FILTER (WHERE _created_by <> 1
             AND change > (SELECT l.change FROM r AS l WHERE l.place = 'last'))::int AS late
         FROM r`,
        [id],
      )
      assert.deepEqual(rows, [{ early: 0, late: 0 }])
    }
  })
})

test('writers of parts of the same records wait for each other, and none fails', async () => {
  const account = [await create('account', {}), await create('account', {})]
  const amounts = Array(8).fill('1.00')
  const first = await orderWith(amounts, { account_id: account[0] })
  const second = await orderWith(amounts, { account_id: account[1] })
  const half = ({ lines }: typeof first, at: 0 | 1) => lines.filter((_, index) => index % 2 === at)
  const bulk = (ids: readonly number[], wanted: object, who = {}) =>
    ask('POST', '/line/bulk', { ...who, body: { ids, do: wanted } })
  for (let turn = 0; turn < 5; turn++) {
    const amount = `${turn + 2}.00`
    const [line = 0, another = 0] = [first.lines[turn], second.lines[turn]]
    const [here, there] = turn % 2 === 0 ? [first.id, second.id] : [second.id, first.id]
    const replies = await Promise.all([
      bulk([...half(first, 0), ...half(second, 0)], { change: { amount } }),
      bulk([...half(second, 1), ...half(first, 1)], { change: { amount } }, buyer),
      bulk([another, line], { change: { order_id: here } }, buyer),
      ask('PATCH', `/line/${line}`, { body: { order_id: there } }),
      ask('PATCH', `/line/${another}`, { ...buyer, body: { order_id: here, amount } }),
      ask('POST', '/line', { ...buyer, body: { order_id: here, amount } }),
      ask('PATCH', `/order/${here}`, {
        body: { number: `n${turn}`, account_id: account[turn % 2] },
      }),
      ask('PATCH', `/order/${there}`, { ...buyer, body: { account_id: account[0] } }),
    ])
    const failed = replies.filter(({ status }) => status >= 400).map(({ text }) => text)
    assert.deepEqual(failed, [])
  }
  const { rows } = await pool.query(
    `SELECT count(*)::int AS wrong FROM records."order" o
     WHERE total IS DISTINCT FROM (SELECT coalesce(sum(amount), 0) FROM records.line l WHERE l.order_id = o.id AND NOT l._is_deleted)
     UNION ALL SELECT count(*)::int FROM records.account a
     WHERE turnover IS DISTINCT FROM (SELECT coalesce(sum(total), 0) FROM records."order" o WHERE o.account_id = a.id AND NOT o._is_deleted)`,
  )
  assert.deepEqual(rows, [{ wrong: 0 }, { wrong: 0 }])
})

test('a bulk write waits only for records that it may write', async () => {
  const submitted = await create('order', {})
  await act(submitted, 'submit')
  const draft = await create('order', {})
  const other = await pool.connect()
  try {
    await other.query('BEGIN')
    await other.query('SELECT FROM records."order" WHERE id = $1 FOR UPDATE', [submitted])
    const ids = [submitted, draft]
    for (const [wanted, code] of [
      [{ action: 'submit' }, 'workflow.action-not-open'],
      [{ change: { cap: '1.00' } }, unmet],
    ] as const) {
      const body = { ids, do: wanted, dryRun: true }
      const reply = await ask('POST', '/order/bulk', { ...buyer, body })
      assert.deepEqual(outcomes(reply), [code, 'done'])
    }
  } finally {
    await other.query('ROLLBACK')
    other.release()
  }
})
