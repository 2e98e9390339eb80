/** POST /:entityKey/bulk: many records in one request, each as if it were written alone. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { invalidPaths, nextNumber, sharedProject, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { as, type Bulk, createBulk, shortly } from './a-bulk.ts'

let service: TestService
let ask: TestService['ask']
let bulk: Bulk['send']
let outcomesOf: Bulk['outcomesOf']
let orders: Bulk['orders']
let read: Bulk['read']
before(async () => {
  service = await sharedProject()
  ask = service.ask
  ;({ send: bulk, outcomesOf, orders, read } = createBulk(service))
})

describe('a change', () => {
  test('is written to each record, with its history; one that holds the values is unchanged', async () => {
    const [first = 0, second = 0] = await orders(2)
    await ask('PATCH', `/order/${second}`, { body: { notes: 'Urgent' } })
    const outcomes = await outcomesOf({ ids: [second, first], do: { change: { notes: 'Urgent' } } })
    const rest = { code: null, detail: null, errors: [] }
    assert.deepEqual(outcomes, [
      { id: second, status: 'unchanged', version: 2, ...rest },
      { id: first, status: 'done', version: 2, ...rest },
    ])
    const [entry] = (await ask('GET', `/order/${first}/history`)).json().data
    assert.deepEqual(
      [entry.operation, entry.changes],
      ['change', { notes: { before: null, after: 'Urgent' } }],
    )
    assert.equal((await ask('GET', `/order/${second}/history`)).json().data.length, 2)
  })

  test('of a record that is refused leaves it as it was, and the others are written', async () => {
    const [first = 0, second = 0, removed = 0] = await orders(3)
    await ask('DELETE', `/order/${removed}`)
    const number = nextNumber()
    const before = await read(second)
    const ids = [removed, first, second, 2_000_000_000]
    const outcomes = await outcomesOf({ ids, do: { change: { number, notes: 'x' } } })
    assert.deepEqual(shortly(outcomes), [
      'refused record.unknown',
      'done',
      'refused record.conflict',
      'refused record.unknown',
    ])
    assert.deepEqual(outcomes[2]?.errors, [
      { path: 'number', message: 'is already used by another order; it must be unique' },
    ])
    assert.equal((await read(first)).number, number)
    assert.deepEqual(await read(second), before)
    assert.equal((await ask('GET', `/order/${second}/history`)).json().data.length, 1)
  })

  test('answers each record as the endpoint for one record does', async () => {
    const [own = 0] = await orders(1, {}, users.buyer)
    const [other = 0] = await orders(1)
    for (const change of [{ notes: 'a' }, { supplier_id: 4711 }])
      for (const id of [own, other, 4711]) {
        const [outcome] = await outcomesOf({ ids: [id], do: { change }, dryRun: true }, as('buyer'))
        const alone = await ask('PATCH', `/order/${id}`, { body: change, ...as('buyer') })
        const { code = null, detail = null, errors = [] } = alone.status === 200 ? {} : alone.json()
        assert.deepEqual([outcome?.code, outcome?.detail, outcome?.errors], [code, detail, errors])
      }
  })

  test('refuses records whose version differs from the given one', async () => {
    const [first = 0, second = 0] = await orders(2)
    await ask('PATCH', `/order/${second}`, { body: { notes: 'newer' } })
    const versions = { [first]: 1, [second]: 1 }
    const body = { ids: [first, second], versions, do: { change: { notes: 'mine' } } }
    assert.deepEqual(shortly(await outcomesOf(body)), ['done', 'refused record.stale'])
    assert.equal((await read(second)).notes, 'newer')
  })

  test('that no record could take is rejected as a whole, with its places in the body', async () => {
    const [id = 0] = await orders(1)
    const change = { quantity: 0, gone: 1, id: 5 }
    const reply = await bulk({ ids: [id], do: { change } })
    assert.deepEqual(invalidPaths(reply, 400).sort(), [
      'do.change.gone',
      'do.change.id',
      'do.change.quantity',
    ])
    assert.deepEqual(
      invalidPaths(await bulk({ ids: [id], do: { change: { quantity: 0 } } }), 422),
      ['do.change.quantity'],
    )
    assert.deepEqual(invalidPaths(await bulk({ ids: [id], do: { change: {} } }), 400), [
      'do.change',
    ])
    assert.deepEqual(invalidPaths(await bulk({ ids: [id], do: { change: 5 } }), 400), ['do.change'])
  })

  test('does not accept a field that the role hides', async () => {
    const [id = 0] = await orders(1, {}, users.buyer)
    const reply = await bulk({ ids: [id], do: { change: { margin: '1' } } }, as('buyer'))
    assert.deepEqual(invalidPaths(reply, 400), ['do.change.margin'])
  })
})

describe('removing and taking over', () => {
  test('remove marks each record, and its tasks', async () => {
    const [first = 0, second = 0] = await orders(2)
    await ask('POST', `/order/${first}/task`, { body: { description: 'x' } })
    const outcomes = await outcomesOf({ ids: [first, second], do: { remove: true } })
    assert.deepEqual(
      outcomes.map(({ status, version }) => [status, version]),
      [
        ['done', null],
        ['done', null],
      ],
    )
    assert.equal((await ask('GET', `/order/${first}`)).status, 404)
    assert.equal((await ask('GET', '/api/tasks?assignee=me')).json().data.length, 0)
  })

  test('takeOwnership makes the caller the owner; of their own records it changes nothing', async () => {
    const [own = 0] = await orders(1, {}, users.buyer)
    const [other = 0] = await orders(1)
    const body = { ids: [own, other], do: { takeOwnership: true } }
    assert.deepEqual(shortly(await outcomesOf(body, as('buyer'))), ['unchanged', 'done'])
    const reply = await ask('POST', '/supplier/search', { body: {} })
    assert.equal(reply.status, 200)
    assert.notEqual((await read(other))._owned_by, (await read(other))._created_by)
  })

  test('takeOwnership is not for records without an owner, nor actions for those without a workflow', async () => {
    const country = (wanted: object) =>
      ask('POST', '/country/bulk', { body: { ids: [1], do: wanted } })
    assert.deepEqual(invalidPaths(await country({ takeOwnership: true }), 400), [
      'do.takeOwnership',
    ])
    assert.deepEqual(invalidPaths(await country({ action: 'submit' }), 400), ['do.action'])
  })
})

describe('criteria', () => {
  test('name the records that match among those that the caller may read', async () => {
    const mine = await orders(2, { notes: 'by criteria' }, users.clerk)
    await orders(1, { notes: 'by criteria' })
    const criteria = { $where: { notes: 'by criteria' }, $orderBy: ['-id'] }
    const body = { criteria, do: { change: { group: 'found' } } }
    const outcomes = await outcomesOf(body, as('clerk'))
    assert.deepEqual(
      outcomes.map(({ id }) => id),
      mine.toReversed(),
    )
    assert.deepEqual(shortly(outcomes), ['done', 'done'])
    const none = { $where: { notes: 'matches nothing' } }
    assert.deepEqual(await outcomesOf({ ...body, criteria: none }), [])
  })

  test('that match more than 1,000 records write nothing and say how many there are', async () => {
    const { pool } = service.database
    await pool.query(
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
    const wanted = { change: { notes: 'x' } }
    const send = (criteria: unknown) => bulk({ criteria, do: wanted }, as('buyer'))
    assert.deepEqual(invalidPaths(await send({ $select: ['id'], where: {} }), 400), [
      'criteria.$select',
      'criteria.where',
    ])
    assert.deepEqual(invalidPaths(await send([]), 400), ['criteria'])
  })
})
