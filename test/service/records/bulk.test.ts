/** POST /:entityKey/bulk: many records in one request, each as if it were written alone. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  createOrder,
  invalidPaths,
  nextNumber,
  sharedProject,
  users,
} from '../../support/a-project.ts'
import type { AskOptions } from '../../support/service.ts'

type Outcome = {
  id: number
  status: string
  version: number | null
  code: string | null
  detail: string | null
  errors: { path: string; message: string }[]
}

const service = await sharedProject()
const { ask } = service
const bulk = (body: unknown, options: AskOptions = {}) =>
  ask('POST', '/order/bulk', { ...options, body })
const outcomesOf = async (body: object, options?: AskOptions): Promise<Outcome[]> => {
  const { data, counts } = (await bulk(body, options)).json(200)
  for (const status of ['done', 'unchanged', 'refused'])
    assert.equal(counts[status], data.filter((one: Outcome) => one.status === status).length)
  return data
}
const shortly = (outcomes: Outcome[]) =>
  outcomes.map(({ status, code }) => (code === null ? status : `${status} ${code}`))
/** The statuses of a bulk write, with the codes of what was refused. */
const shortlyDone = async (body: object, options?: AskOptions) =>
  shortly(await outcomesOf(body, options))
/** The ids of new orders. */
const orders = async (count: number, values: object = {}, as?: string): Promise<number[]> => {
  const ids: number[] = []
  for (let made = 0; made < count; made++)
    ids.push((await createOrder(service, { ...values }, as)).id)
  return ids
}
const read = async (id: number) => (await ask('GET', `/order/${id}`)).json()
const historyOf = async (id: number) => (await ask('GET', `/order/${id}/history`)).json().data
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
      { path: 'number', message: 'is already used by another order; it must be unique' },
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
    await service.database.pool.query(
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

describe('records with values of their own', () => {
  const errorsOf = async (body: object, options?: AskOptions) => {
    const reply = await bulk(body, options)
    const { code, errors } = reply.json()
    const paths = errors.map(({ path }: { path: string }) => path)
    return [reply.status, code, ...paths]
  }
  const ordersLike = async (criteria: object) => {
    const reply = await ask('POST', '/order/search', { body: { $where: criteria } })
    return reply.json(200).data
  }

  test('are removed, changed and created in one transaction, new ones with their lines', async () => {
    const [changed = 0, same = 0, removed = 0] = await orders(3)
    const { number } = await read(removed)
    const lines = { create: [{ position: 1 }, { position: 2 }] }
    const body = {
      create: [
        { number, notes: 'Own values' },
        { number: nextNumber(), lines },
      ],
      change: [
        { id: changed, _version: 1, notes: 'Changed' },
        { id: same, notes: null },
      ],
      remove: [{ id: removed, _version: 1 }],
    }
    const headers = { 'Idempotency-Key': 'own-values' }
    const outcomes = await outcomesOf(body, { headers })
    const [first = 0, second = 0] = outcomes.slice(3).map(({ id }) => id)
    assert.deepEqual(
      outcomes.map(({ id, status, version }) => [id, status, version]),
      [
        [removed, 'done', null],
        [changed, 'done', 2],
        [same, 'unchanged', 1],
        [first, 'done', 1],
        [second, 'done', 1],
      ],
    )
    assert.deepEqual(await outcomesOf(body, { headers }), outcomes)
    const { notes, number: freed } = await read(first)
    assert.deepEqual([notes, freed], ['Own values', number])
    const own = await ask('POST', '/order_line/search', { body: { $where: { order: second } } })
    assert.deepEqual(
      own
        .json(200)
        .data.map((one: { position: number }) => one.position)
        .sort(),
      [1, 2],
    )
    assert.deepEqual(
      (await historyOf(first)).map((one: object) => 'operation' in one && one.operation),
      ['create'],
    )
  })

  test('are refused as a whole, with the faults of all of them', async () => {
    const [own = 0] = await orders(1, {}, users.buyer)
    const [other = 0] = await orders(1)
    const [number, taken] = [nextNumber(), (await read(own)).number]
    const body = {
      create: [
        { number },
        { number: taken },
        { number: 'x', supplier_id: 4711, gone: 1 },
        { number },
        5,
        { number: nextNumber(), lines: { create: [{ position: 1 }, { position: 1 }, {}] } },
      ],
      change: [
        { id: own, _version: 9, notes: 'x' },
        { id: other, notes: 'x' },
        { id: own, notes: 'y' },
        { notes: 'z' },
      ],
      remove: [{ id: 2_000_000_000 }],
    }
    for (const dryRun of [true, false])
      assert.deepEqual(await errorsOf({ ...body, dryRun }, buyer), [
        ...[
          404,
          'record.unknown',
          'remove[0]',
          'change[0]',
          'change[1]',
          'change[2].id',
          'change[3].id',
        ],
        ...['create[1].number', 'create[2].number', 'create[2].gone', 'create[2].supplier_id'],
        ...['create[3].number', 'create[4]', 'create[5].lines.create[2].position'],
      ])
    assert.deepEqual(await ordersLike({ number }), [])
    const lines = { create: [{ position: 1 }, { position: 1 }] }
    assert.deepEqual(await errorsOf({ create: [{ number, lines }] }), [
      ...[409, 'record.conflict', 'create[0].lines.create[1].position'],
    ])
  })

  test('of a dry run have no ids, and are not written', async () => {
    const number = nextNumber()
    const outcomes = await outcomesOf({ create: [{ number }], dryRun: true })
    assert.deepEqual(
      outcomes.map(({ id, status, version }) => [id, status, version]),
      [[null, 'done', null]],
    )
    assert.deepEqual(await ordersLike({ number }), [])
  })

  test('tell no more than the first hundred faults, and are written up to a thousand at once', async () => {
    const numbers = Array.from({ length: 1000 }, nextNumber)
    const wrong = await bulk({ create: numbers.map((number) => ({ number, quantity: 0 })) })
    assert.equal(wrong.json(422).errors.length, 101)
    const twice = await bulk({
      create: [...numbers.slice(1), numbers[500]].map((number) => ({ number })),
    })
    assert.deepEqual(invalidPaths(twice, 409), ['create[999].number'])
    const outcomes = await outcomesOf({ create: numbers.map((number) => ({ number })) }, buyer)
    const [first, last] = [outcomes[0], outcomes[999]].map((one) => one?.id ?? 0)
    assert.deepEqual(
      [(await read(first ?? 0)).number, (await read(last ?? 0)).number],
      [numbers[0], numbers[999]],
    )
  })

  test('need the permissions for what is asked', async () => {
    for (const body of [{ create: [{}] }, { change: [5] }, { remove: [{ id: 1 }] }, { create: 1 }])
      assert.equal((await ask('POST', '/supplier/bulk', { body, ...buyer })).status, 403)
    const { id } = (await ask('POST', '/supplier', { body: { code: nextNumber() } })).json(201)
    const asClerk = { as: users.clerk }
    assert.equal(
      (await ask('POST', '/supplier/bulk', { body: { remove: [{ id }] }, ...asClerk })).status,
      403,
    )
    const body = { change: [{ id, name: 'x' }] }
    const hidden = await ask('POST', '/supplier/bulk', { body, ...asClerk })
    assert.deepEqual([hidden.status, hidden.json().code], [404, 'record.unknown'])
  })
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
  for (const [body, ...paths] of cases)
    test(`${JSON.stringify(body).slice(0, 70)} is rejected`, async () => {
      assert.deepEqual(invalidPaths(await bulk(body), 400), paths)
    })

  test('what is to be written is limited for all records together', async () => {
    const change = { notes: 'x'.repeat(17_000) }
    const reply = await bulk({ ids: many.slice(1), do: { change } })
    assert.deepEqual([reply.status, reply.json().code], [422, 'bulk.too-many'])
  })
})
