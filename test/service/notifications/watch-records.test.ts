/** The stream with `watch` and `counts`: which changes of records it tells whom. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { until } from '../../support/wait.ts'
import { kindsOf, recordsOf, startWatched, untilTold, type Watched } from './a-watched-project.ts'

let ask: Watched['ask']
let create: Watched['create']
let idOf: Watched['idOf']
let open: Watched['open']
let service: Watched['service']
let closeReaders: Watched['closeReaders']
before(async () => {
  ;({ ask, create, idOf, open, service, closeReaders } = await startWatched())
})
afterEach(() => closeReaders())
after(() => service.stop())

describe('watched records', () => {
  let id: number
  beforeEach(async () => {
    id = await create()
  })

  test('are told with version and actor, and never with values', async () => {
    const reader = await open('?watch=order', 'buyer')
    await ask('PATCH', `/order/${id}`, { number: 'PO-2' })
    await untilTold(reader, id, { entity: 'order', version: 2, by: 1, created: undefined })
    const created = await create('buyer')
    await untilTold(reader, created, { version: 1, by: idOf('buyer'), created: true })
    assert.doesNotMatch(reader.text(), /PO-|secret/)
    const event = reader.events.find((one) => one.event === 'record')
    // The position of the stream is that of notifications.
    assert.equal(event?.id, '')
  })

  test('are told of one record only, if it is named', async () => {
    const [other, reader] = [await create(), await open(`?watch=order/${id}`, 'buyer')]
    await ask('PATCH', `/order/${other}`, { number: 'PO-3' })
    await ask('PATCH', `/order/${id}`, { number: 'PO-4' })
    await untilTold(reader, id, { version: 2 })
    assert.deepEqual(new Set(recordsOf(reader).map((one) => one.id)), new Set([id]))
  })

  test('are told at once if the version that the client has read is not that of now', async () => {
    const first = await open('?watch=order', 'buyer')
    await ask('PATCH', `/order/${id}`, { number: 'PO-5' })
    // What was told then is told to nobody else.
    await untilTold(first, id, { version: 2 })
    const [current, late] = [
      await open(`?watch=order/${id}:2`, 'buyer'),
      await open(`?watch=order/${id}:1`, 'buyer'),
    ]
    await untilTold(late, id, { version: 2, by: 1 })
    await ask('PATCH', `/order/${id}`, { number: 'PO-6' })
    await untilTold(current, id, { version: 3 })
    assert.deepEqual(
      recordsOf(current).map(({ version }) => version),
      [3],
    )
    assert.ok(!kindsOf(current).includes('reset'))
  })

  test('that may not be read, or do not exist, are read again by a client that names a version', async () => {
    await ask('DELETE', `/order/${id}`)
    const foreign = await create()
    for (const [name, as] of [
      [`order/${id}:1`, 'buyer'],
      [`order/${foreign}:1`, 'owner'],
      ['order/999999:1', 'owner'],
    ] as const) {
      const reader = await open(`?watch=${name}`, as)
      await until(`${name} is reset`, () => kindsOf(reader).includes('reset'))
      assert.ok(
        recordsOf(reader).every((one) => one.gone === true),
        name,
      )
    }
  })

  test('name no actor to a role that hides it', async () => {
    const reader = await open('?watch=order', 'blind')
    await ask('PATCH', `/order/${id}`, { margin: 'more' })
    await untilTold(reader, id, { version: 2 })
    assert.ok(recordsOf(reader).every((one) => !('by' in one)))
  })

  test('are gone when they are removed, and come back when they are restored', async () => {
    const reader = await open('?watch=order', 'buyer')
    await ask('DELETE', `/order/${id}`)
    await untilTold(reader, id, { gone: true })
    assert.deepEqual(recordsOf(reader).at(-1), { entity: 'order', id, gone: true })
    await ask('POST', `/order/${id}/restore`)
    await untilTold(reader, id, { version: 3 })
  })

  test('of others are not told to a role that reads its own, unless they leave its reach', async () => {
    const reader = await open(`?watch=order,order/${id}`, 'owner')
    await ask('PATCH', `/order/${id}`, { number: 'PO-5' })
    const own = await create('owner')
    await untilTold(reader, own, { version: 1 })
    // The role may take over what it may not read; here an administrator's record becomes its own.
    await service.database.pool.query('UPDATE records."order" SET _owned_by = $1 WHERE id = $2', [
      idOf('owner'),
      id,
    ])
    await ask('POST', `/order/${id}/takeOwnership`)
    await untilTold(reader, id, { gone: true })
    await ask('DELETE', `/order/${own}`)
    await untilTold(reader, own, { gone: true })
    assert.deepEqual(
      recordsOf(reader).filter((one) => one.id === id),
      [{ entity: 'order', id, gone: true }],
    )
  })

  test('of a transaction that ends after later ones are told', async () => {
    const reader = await open('?watch=order', 'buyer')
    const connection = await service.database.pool.connect()
    await connection.query('BEGIN')
    await connection.query(
      `INSERT INTO docket.history (entity_key, entity_id, operation, changes)
       VALUES ('order', $1, 'change', '{}')`,
      [id],
    )
    const later = await create()
    await untilTold(reader, later, { version: 1 })
    await connection.query('COMMIT')
    connection.release()
    await untilTold(reader, id, { version: 1 })
  })

  test('without the parameters the stream has no such events', async () => {
    const [plain, watching] = [await open('', 'buyer'), await open('?watch=order', 'buyer')]
    await ask('PATCH', `/order/${id}`, { number: 'PO-6' })
    await untilTold(watching, id, { version: 2 })
    assert.deepEqual(kindsOf(plain), ['count'])
  })
})
