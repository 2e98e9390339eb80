/** POST /:entityKey/bulk: many records in one request, each as if it were written alone. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { invalidPaths, nextNumber, users } from '../../support/a-project.ts'
import type { AskOptions } from '../../support/service.ts'
import { type Outcome, openBulk } from './a-bulk.ts'

const { database, ask, bulk, outcomesOf, orders, read, historyOf } = await openBulk()
const shortly = (outcomes: Outcome[]) =>
  outcomes.map(({ status, code }) => (code === null ? status : `${status} ${code}`))
/** The statuses of a bulk write, with the codes of what was refused. */
const shortlyDone = async (body: object, options?: AskOptions) =>
  shortly(await outcomesOf(body, options))
const buyer = { as: users.buyer }
const note = { change: { notes: 'x' } }

describe('a change', () => {
  test('is written to each record, with its history; one that holds the values is unchanged', async () => {
    const [first = 0, second = 0] = await orders(2)
    await ask('PATCH', `/order/${second}`, { body: { notes: 'Urgent' } })
    const outcomes = await outcomesOf({ ids: [second, first], do: { change: { notes: 'Urgent' } } })
    const rest = { version: 2, code: null, detail: null, errors: [] }
    assert.deepEqual(outcomes, [
      { id: second, status: 'unchanged', ...rest },
      { id: first, status: 'done', ...rest },
    ])
    const [{ operation, changes }] = await historyOf(first)
    assert.equal(operation, 'change')
    assert.deepEqual(changes, { notes: { before: null, after: 'Urgent' } })
    assert.equal((await historyOf(second)).length, 2)
  })

  test('of a record that is refused leaves it as it was, and the others are written', async () => {
    const [first = 0, second = 0, removed = 0] = await orders(3)
    await ask('DELETE', `/order/${removed}`)
    const number = nextNumber()
    const before = await read(second)
    const ids = [removed, first, second, 2_000_000_000]
    const outcomes = await outcomesOf({ ids, do: { change: { number, notes: 'x' } } })
    assert.deepEqual(shortly(outcomes), [
      ...['refused record.unknown', 'done', 'refused record.conflict', 'refused record.unknown'],
    ])
    assert.deepEqual(outcomes[2]?.errors, [
      { path: 'number', message: 'another order has the same value; it must be unique' },
    ])
    assert.equal((await read(first)).number, number)
    assert.deepEqual(await read(second), before)
    assert.equal((await historyOf(second)).length, 1)
  })

  test('answers each record as the endpoint for one record does', async () => {
    const [own = 0] = await orders(1, {}, users.buyer)
    const [other = 0] = await orders(1)
    for (const change of [{ notes: 'a' }, { supplier_id: 4711 }])
      for (const id of [own, other, 4711]) {
        const [outcome] = await outcomesOf({ ids: [id], do: { change }, dryRun: true }, buyer)
        const alone = await ask('PATCH', `/order/${id}`, { body: change, ...buyer })
        const { code = null, detail = null, errors = [] } = alone.status === 200 ? {} : alone.json()
        assert.deepEqual([outcome?.code, outcome?.detail, outcome?.errors], [code, detail, errors])
      }
  })

  test('refuses records whose version differs from the given one', async () => {
    const [first = 0, second = 0] = await orders(2)
    await ask('PATCH', `/order/${second}`, { body: { notes: 'newer' } })
    const versions = { [first]: 1, [second]: 1 }
    const body = { ids: [first, second], versions, do: { change: { notes: 'mine' } } }
    assert.deepEqual(await shortlyDone(body), ['done', 'refused record.stale'])
    assert.equal((await read(second)).notes, 'newer')
  })

  test('that no record could take is rejected as a whole, with its places in the body', async () => {
    const [id = 0] = await orders(1, {}, users.buyer)
    for (const [change, status, ...paths] of [
      [{ quantity: 0, gone: 1 }, 400, 'do.change.gone', 'do.change.quantity'],
      [{ quantity: 0 }, 422, 'do.change.quantity'],
      [{}, 400, 'do.change'],
      [5, 400, 'do.change'],
    ] as const) {
      const reply = await bulk({ ids: [id], do: { change } }, buyer)
      assert.deepEqual(invalidPaths(reply, status).sort(), paths)
    }
  })
})

test('remove marks each record, and its tasks', async () => {
  const [first = 0, second = 0] = await orders(2)
  await ask('POST', `/order/${first}/task`, { body: { description: 'x' } })
  const outcomes = await outcomesOf({ ids: [first, second], do: { remove: true } })
  const done = { status: 'done', version: null, code: null, detail: null, errors: [] }
  assert.deepEqual(outcomes, [
    { id: first, ...done },
    { id: second, ...done },
  ])
  assert.equal((await ask('GET', `/order/${first}`)).status, 404)
  assert.equal((await ask('GET', '/api/tasks?assignee=me')).json().data.length, 0)
})

test('takeOwnership makes the caller the owner; of their own records it changes nothing', async () => {
  const [own = 0] = await orders(1, {}, users.buyer)
  const [other = 0] = await orders(1)
  const body = { ids: [own, other], do: { takeOwnership: true } }
  assert.deepEqual(await shortlyDone(body, buyer), ['unchanged', 'done'])
  const { _owned_by: owner, _created_by: creator } = await read(other)
  assert.notEqual(owner, creator)
})

test('takeOwnership is not for records without an owner, nor actions for those without a workflow', async () => {
  for (const wanted of [{ takeOwnership: true }, { action: 'submit' }]) {
    const reply = await ask('POST', '/country/bulk', { body: { ids: [1], do: wanted } })
    assert.deepEqual(invalidPaths(reply, 400), [`do.${Object.keys(wanted)[0]}`])
  }
})

describe('criteria', () => {
  test('name the records that match among those that the caller may read', async () => {
    const mine = await orders(2, { notes: 'by criteria' }, users.clerk)
    await orders(1, { notes: 'by criteria' })
    const criteria = { $where: { notes: 'by criteria' }, $orderBy: ['-id'] }
    const body = { criteria, do: { change: { group: 'found' } } }
    const outcomes = await outcomesOf(body, { as: users.clerk })
    assert.deepEqual(
      outcomes.map(({ id, status }) => [id, status]),
      mine.toReversed().map((id) => [id, 'done']),
    )
    const none = { $where: { notes: 'matches nothing' } }
    assert.deepEqual(await outcomesOf({ ...body, criteria: none }), [])
  })

  test('that match more than 1,000 records write nothing and say how many there are', async () => {
    await database.pool.query(
      `INSERT INTO records.country (code, name, _is_deleted, _created_at, _updated_at)
       SELECT chr(19968 + n), 'many', false, now(), now() FROM generate_series(0, 1000) n`,
    )
    const change = (criteria: object) =>
      ask('POST', '/country/bulk', { body: { criteria, do: { change: { name: 'many' } } } })
    const all = await change({ $where: { name: 'many' } })
    assert.deepEqual([all.status, all.json().code], [422, 'bulk.too-many'])
    assert.match(all.json().detail, /^The criteria match 1001 records of country;/)
    const most = await change({ $where: { name: 'many', code: { $ne: '一' } } })
    assert.deepEqual(most.json().counts, { done: 0, unchanged: 1000, refused: 0 })
  })

  test('may have no other keys', async () => {
    const send = (criteria: unknown) => bulk({ criteria, do: note }, buyer)
    assert.deepEqual(invalidPaths(await send({ $select: ['id'], where: {} }), 400), [
      ...['criteria.$select', 'criteria.where'],
    ])
    assert.deepEqual(invalidPaths(await send([]), 400), ['criteria'])
  })
})

test('a dry run says what would happen, also among the records themselves, and writes nothing', async () => {
  const [first = 0, second = 0] = await orders(2)
  const before = [await read(first), await read(second)]
  const jobs = async () => (await ask('GET', '/api/jobs')).json().data.length
  const jobsBefore = await jobs()
  const body = { ids: [first, second], do: { change: { number: nextNumber() } }, dryRun: true }
  const outcomes = await outcomesOf(body)
  assert.deepEqual(shortly(outcomes), ['done', 'refused record.conflict'])
  assert.deepEqual([outcomes[0]?.version, outcomes[1]?.version], [null, null])
  assert.deepEqual([await read(first), await read(second)], before)
  assert.equal(await jobs(), jobsBefore)
  assert.equal((await historyOf(first)).length, 1)
  const remove = { ids: [first], do: { remove: true }, dryRun: true }
  assert.deepEqual(await shortlyDone(remove), ['done'])
  assert.equal((await ask('GET', `/order/${first}`)).status, 200)
})

test('a dry run does not use up an Idempotency-Key', async () => {
  const [id = 0] = await orders(1)
  const headers = { 'Idempotency-Key': 'a-dry-run' }
  await outcomesOf({ ids: [id], do: note, dryRun: true }, { headers })
  assert.deepEqual(await shortlyDone({ ids: [id], do: note }, { headers }), ['done'])
})

test('permissions are checked before the body; "own" refuses the records of others; users are guarded', async () => {
  const forbidden = 'refused caller.forbidden'
  for (const wanted of [note, { remove: true }]) {
    const [own = 0] = await orders(1, {}, users.buyer)
    const [other = 0] = await orders(1)
    const body = { ids: [other, own], do: wanted }
    assert.deepEqual(await shortlyDone(body, buyer), [forbidden, 'done'])
  }
  for (const body of [5, { ids: 'x', do: { change: 5 } }, { do: { remove: true } }])
    assert.equal((await ask('POST', '/supplier/bulk', { body, ...buyer })).status, 403)
  const body = { ids: [1], do: { change: { phone: '1' } } }
  const ofUser = await ask('POST', '/user/bulk', { body, as: users.registrar })
  assert.deepEqual(shortly(ofUser.json().data), [forbidden])
})

describe('a malformed body', () => {
  const many = Array.from({ length: 1001 }, (_, n) => n + 1)
  const remove = { remove: true }
  const cases: readonly (readonly [body: unknown, ...paths: string[]])[] = [
    [{ do: note }, ''],
    [{ ids: [1], criteria: {}, do: note }, ''],
    [{ ids: [], do: note }, 'ids'],
    [{ ids: many, do: note }, 'ids'],
    [
      { ids: [1, 0, '2', 1.5, 1, 3_000_000_000], do: note },
      ...['ids[1]', 'ids[2]', 'ids[3]', 'ids[4]', 'ids[5]'],
    ],
    [{ ids: [1] }, 'do'],
    [{ ids: [1], do: 'remove' }, 'do'],
    [{ ids: [1], do: {} }, 'do'],
    [{ ids: [1], do: { ...remove, change: {} } }, 'do'],
    [{ ids: [1], do: { remove: false } }, 'do.remove'],
    [{ ids: [1], do: { takeOwnership: 1 } }, 'do.takeOwnership'],
    [{ ids: [1], do: { ...remove, comment: 'x' } }, 'do.comment'],
    [{ ids: [1], do: note, dryRun: 'yes' }, 'dryRun'],
    [{ ids: [1], do: note, versions: [1] }, 'versions'],
    [{ ids: [1], do: note, versions: { a: 1, 2: '3' } }, 'versions.2', 'versions.a'],
    [{ create: [], change: [] }, ''],
    [{ create: many.map(() => ({})) }, ''],
    [{ create: {}, remove: 1, dryRun: 1 }, 'dryRun', 'remove', 'create'],
    [{ create: [{}], ids: [1], do: note }, 'ids', 'do'],
    [
      { remove: [{ id: 1, notes: 'x' }, 1], change: [{ id: 2 }] },
      'remove[0].notes',
      'remove[1]',
      'change[0]',
    ],
  ]
  test('is rejected with its places', async () => {
    for (const [body, ...paths] of cases)
      assert.deepEqual(invalidPaths(await bulk(body), 400), paths, JSON.stringify(body))
  })

  test('what is to be written is limited for all records together', async () => {
    const change = { notes: 'x'.repeat(17_000) }
    const reply = await bulk({ ids: many.slice(1), do: { change } })
    assert.deepEqual([reply.status, reply.json().code], [422, 'bulk.too-many'])
  })
})
