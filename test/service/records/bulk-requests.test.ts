/** Bulk writes that are only tried, repeated, forbidden, malformed, or sent at the same time. */
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

describe('a dry run', () => {
  test('says what would happen, also among the records themselves, and writes nothing', async () => {
    const [first = 0, second = 0] = await orders(2)
    const before = [await read(first), await read(second)]
    const jobs = async () => (await ask('GET', '/api/jobs')).json().data.length
    const jobsBefore = await jobs()
    const body = { ids: [first, second], do: { change: { number: nextNumber() } }, dryRun: true }
    const outcomes = await outcomesOf(body)
    assert.deepEqual(shortly(outcomes), ['done', 'refused record.conflict'])
    assert.deepEqual(
      outcomes.map(({ version }) => version),
      [null, null],
    )
    assert.deepEqual([await read(first), await read(second)], before)
    assert.equal(await jobs(), jobsBefore)
    assert.equal((await ask('GET', `/order/${first}/history`)).json().data.length, 1)
    const remove = { ids: [first], do: { remove: true }, dryRun: true }
    assert.deepEqual(shortly(await outcomesOf(remove)), ['done'])
    assert.equal((await ask('GET', `/order/${first}`)).status, 200)
  })

  test('does not use up an Idempotency-Key', async () => {
    const [id = 0] = await orders(1)
    const headers = { 'Idempotency-Key': 'a dry run'.replaceAll(' ', '-') }
    const body = { ids: [id], do: { change: { notes: 'x' } } }
    await outcomesOf({ ...body, dryRun: true }, { headers })
    assert.deepEqual(shortly(await outcomesOf(body, { headers })), ['done'])
  })
})

test('the same Idempotency-Key gets the first answer again, and another body a 422', async () => {
  const [id = 0] = await orders(1)
  const headers = { 'Idempotency-Key': 'bulk-1' }
  const body = { ids: [id, 4711], do: { change: { notes: 'once' } } }
  const first = await bulk(body, { headers })
  const again = await bulk(body, { headers })
  assert.equal(again.text, first.text)
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  const other = await bulk({ ...body, ids: [id] }, { headers })
  assert.deepEqual([other.status, other.json().code], [422, 'idempotency.key-reused'])
  assert.equal((await ask('GET', `/order/${id}/history`)).json().data.length, 2)
})

describe('permissions', () => {
  test('are checked before the body; "own" refuses the records of others', async () => {
    const [own = 0] = await orders(1, {}, users.buyer)
    const [other = 0] = await orders(1)
    for (const wanted of [{ change: { notes: 'x' } }, { remove: true }])
      assert.deepEqual(shortly(await outcomesOf({ ids: [other, own], do: wanted }, as('buyer'))), [
        'refused caller.forbidden',
        'done',
      ])
    const asReader = (body: unknown) => ask('POST', '/supplier/bulk', { body, as: users.buyer })
    for (const body of [{}, 5, { ids: 'x', do: { change: 5 } }, { do: { remove: true } }])
      assert.equal((await asReader(body)).status, 403)
    const [hidden = 0] = await orders(1)
    const ofClerk = { ids: [hidden], do: { change: { notes: 'x' } } }
    assert.deepEqual(shortly(await outcomesOf(ofClerk, as('clerk'))), ['refused record.unknown'])
  })

  test('an entity without any permission is unknown; tasks have no bulk; a caller is needed', async () => {
    const body = { ids: [1], do: { remove: true } }
    assert.equal((await bulk(body, as('nobody'))).status, 404)
    assert.equal((await ask('POST', '/task/bulk', { body })).status, 405)
    assert.equal((await bulk(body, { as: null })).status, 401)
  })

  test('users are guarded as in single writes', async () => {
    const body = { ids: [1], do: { change: { phone: '1' } } }
    const reply = await ask('POST', '/user/bulk', { body, ...as('registrar') })
    assert.deepEqual(shortly(reply.json().data), ['refused caller.forbidden'])
  })
})

describe('a malformed body', () => {
  const change = { change: { notes: 'x' } }
  const cases: readonly [unknown, string[]][] = [
    [[], ['']],
    [{ do: change }, ['']],
    [{ ids: [1], criteria: {}, do: change }, ['']],
    [{ ids: [], do: change }, ['ids']],
    [{ ids: '1', do: change }, ['ids']],
    [{ ids: Array.from({ length: 1001 }, (_, n) => n + 1), do: change }, ['ids']],
    [
      { ids: [1, 0, '2', 1.5, 1, 3_000_000_000], do: change },
      [1, 2, 3, 4, 5].map((n) => `ids[${n}]`),
    ],
    [{ ids: [1] }, ['do']],
    [{ ids: [1], do: 'remove' }, ['do']],
    [{ ids: [1], do: {} }, ['do']],
    [{ ids: [1], do: { remove: true, change: {} } }, ['do']],
    [{ ids: [1], do: { remove: false } }, ['do.remove']],
    [{ ids: [1], do: { takeOwnership: 1 } }, ['do.takeOwnership']],
    [{ ids: [1], do: { remove: true, comment: 'x' } }, ['do.comment']],
    [{ ids: [1], do: change, dryRun: 'yes' }, ['dryRun']],
    [{ ids: [1], do: change, versions: [1] }, ['versions']],
    [{ ids: [1], do: change, versions: { a: 1, 2: '3' } }, ['versions.2', 'versions.a']],
    [{ ids: [1], do: change, undo: true }, ['undo']],
  ]
  for (const [body, paths] of cases)
    test(`${JSON.stringify(body).slice(0, 70)} is rejected`, async () => {
      assert.deepEqual(invalidPaths(await bulk(body), 400), paths)
    })

  test('what is to be written is limited for all records together', async () => {
    const ids = Array.from({ length: 1000 }, (_, n) => n + 1)
    const reply = await bulk({ ids, do: { change: { notes: 'x'.repeat(17_000) } } })
    assert.deepEqual([reply.status, reply.json().code], [422, 'bulk.too-many'])
  })
})

test('two requests for the same records in another order at the same time write each record', async () => {
  const ids = await orders(20)
  const send = (notes: string, some: number[]) =>
    outcomesOf({ ids: some, do: { change: { notes } } })
  const [one, two] = await Promise.all([send('one', ids), send('two', ids.toReversed())])
  for (const outcomes of [one, two]) assert.ok(outcomes?.every(({ status }) => status === 'done'))
})
