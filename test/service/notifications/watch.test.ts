/** The stream with `watch` and `counts`: which changes it tells whom, and that something may have been missed. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { createChangeFeed } from '../../../src/notifications/watch/change-feed.ts'
import { invalidPaths } from '../../support/a-project.ts'
import type { Reader } from '../../support/notifications/a-stream-reader.ts'
import { until } from '../../support/wait.ts'
import {
  kindsOf,
  mailOf,
  type Role,
  recordsOf,
  startWatched,
  untilTold,
  type Watched,
} from './a-watched-project.ts'

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
    // What was told before a later change is told to nobody else.
    await untilTold(first, await create(), { version: 1 })
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

describe('reset', () => {
  test('comes first when a stream is resumed, and not otherwise', async () => {
    const first = await open('?watch=order', 'buyer')
    const [{ id } = assert.fail()] = first.events
    const resumed = await open('?watch=order', 'buyer', { 'Last-Event-ID': id })
    await until('the reset is sent', () => kindsOf(resumed).includes('reset'))
    assert.ok(!kindsOf(first).includes('reset'))
    const plain = await open('', 'buyer', { 'Last-Event-ID': id })
    const created = await create()
    await untilTold(resumed, created, { version: 1 })
    assert.deepEqual(kindsOf(plain), ['count'])
  })

  test('replaces too many events', async () => {
    const reader = await open('?watch=order', 'buyer')
    await service.database.pool.query(
      `WITH made AS (INSERT INTO records."order" (number, _step) SELECT n, 'draft' FROM generate_series(1, 300) n RETURNING id)
       INSERT INTO docket.history (entity_key, entity_id, operation, changes)
       SELECT 'order', id, 'create', '{}' FROM made`,
    )
    await until('the reset is sent', () => kindsOf(reader).includes('reset'))
    await service.database.pool.query(
      `INSERT INTO docket.history (entity_key, entity_id, operation, changes)
       SELECT 'order', 1, 'change', '{}' FROM generate_series(1, 3000)`,
    )
    await until(
      'another is sent',
      () => kindsOf(reader).filter((one) => one === 'reset').length === 2,
    )
    const id = await create()
    await untilTold(reader, id, { version: 1 })
  })

  test('is sent when the role of the reader changes, which then sees what it may', async () => {
    const watching = await open('?watch=order', 'blind')
    const setRole = (role: string) =>
      service.database.pool.query(
        `UPDATE records."user" SET security_role_id = (SELECT id FROM records.security_role WHERE key = $1) WHERE id = $2`,
        [role, idOf('blind')],
      )
    await setRole('owner')
    const hidden = await create()
    await until('the reset is sent', () => kindsOf(watching).includes('reset'))
    const own = await create('blind')
    await untilTold(watching, own, { version: 1 })
    assert.ok(recordsOf(watching).every((one) => one.id !== hidden))
    await setRole('blind')
  })
})

describe('counts', () => {
  test('approvals are told to those who may decide, and only when a step changes', async () => {
    const [approver, buyer] = [
      await open('?counts=approvals', 'approver'),
      await open('?counts=approvals,tasks&watch=order', 'buyer'),
    ]
    const id = await create('buyer')
    await ask('POST', `/order/${id}/proceedToStep`, { action: 'submit' }, 'buyer')
    await until('the approvals are told', () => kindsOf(approver).includes('approvals'))
    await untilTold(buyer, id, { version: 2 })
    assert.ok(!kindsOf(buyer).includes('approvals'))
  })

  test('tasks are told to the assignee, also to the former one', async () => {
    const [first, second] = [
      await open('?counts=tasks', 'approver'),
      await open('?counts=tasks', 'nobody'),
    ]
    const id = await create()
    const task = (
      await ask('POST', `/order/${id}/task`, {
        ...{ description: 'Call', due_date: '2030-01-01 09:00:00', assigne_id: idOf('approver') },
      })
    ).json().id
    const toldTo = (reader: Reader) => kindsOf(reader).filter((one) => one === 'tasks').length
    await until('the assignee is told', () => toldTo(first) === 1)
    assert.equal(toldTo(second), 0)
    await ask('PUT', `/order/${id}/${task}`, { assigne_id: idOf('nobody') })
    await until('both are told', () => toldTo(first) === 2 && toldTo(second) === 1)
    assert.ok(kindsOf(first).every((kind) => ['count', 'tasks', 'notification'].includes(kind)))
  })
})

test('what may not be read cannot be watched, and names are limited', async () => {
  const status = async (query: string, as: Role = 'buyer') =>
    service.ask('GET', `/api/notifications/stream${query}`, { as: mailOf(as) })
  assert.equal((await status('?watch=order', 'nobody')).status, 404)
  assert.equal((await status('?watch=vault')).status, 404)
  assert.equal((await status('?watch=task')).status, 403)
  for (const watch of [
    '',
    'order/',
    'order/0',
    'order/1:',
    'order/1:0',
    'order:1',
    'order/2147483648',
    'order,',
    'Order',
    'a/b',
    '%00',
  ])
    assert.deepEqual(invalidPaths(await status(`?watch=${watch}`), 400), ['watch'], watch)
  const many = Array.from({ length: 21 }, (_, index) => `order/${index + 1}`).join()
  assert.deepEqual(invalidPaths(await status(`?watch=${many}`), 400), ['watch'])
  const repeated = `${'order,'.repeat(30)}vault`
  assert.equal((await status(`?watch=${repeated}`)).status, 404)
  for (const counts of ['', 'notes', 'tasks,tasks', 'tasks,'])
    assert.deepEqual(invalidPaths(await status(`?counts=${counts}`), 400), ['counts'], counts)
})

describe('the feed of changes', () => {
  /** A change after more ids than the feed waits for. */
  const changeFarAhead = async () => {
    await service.database.pool.query(
      `SELECT setval(pg_get_serial_sequence('docket.history', 'id'), max(id) + 20000) FROM docket.history`,
    )
    await create()
  }

  test('too many missing ids are told as missed when their transactions have ended, each time', async () => {
    const minute = 60_000
    let now = 0
    const feed = createChangeFeed(service.database.pool, undefined, () => now)
    const isLossyAt = async (time: number) => {
      now = time
      return (await feed.next()).isLossy
    }
    await create()
    await feed.start()
    await changeFarAhead()
    assert.equal(await isLossyAt(0), false)
    await changeFarAhead()
    assert.equal(await isLossyAt(4 * minute), false)
    assert.equal(await isLossyAt(5 * minute), true)
    assert.equal(await isLossyAt(8 * minute), false)
    assert.equal(await isLossyAt(9 * minute), true)
    assert.equal(await isLossyAt(20 * minute), false)
  })

  /** Every transaction of the server that runs now has ended; those of other tests may take a while. */
  const untilAllHaveEnded = async () => {
    const { pool } = service.database
    const snapshot =
      'SELECT pg_snapshot_xmin(s)::text AS xmin, pg_snapshot_xmax(s)::text AS xmax FROM pg_current_snapshot() s'
    const {
      rows: [now],
    } = await pool.query(snapshot)
    await until('all transactions have ended', async () => {
      const {
        rows: [later],
      } = await pool.query(snapshot)
      return BigInt(later.xmin) >= BigInt(now.xmax)
    })
  }

  test('ids of transactions that were rolled back, as dry runs are, are not missed', async () => {
    const { pool } = service.database
    let now = 0
    const feed = createChangeFeed(pool, undefined, () => now)
    await feed.start()
    for (let round = 0; round < 3; round += 1) {
      await pool.query(
        `SELECT setval(pg_get_serial_sequence('docket.history', 'id'), max(id) + 6000) FROM docket.history`,
      )
      await create()
      assert.equal((await feed.next()).isLossy, false)
      await untilAllHaveEnded()
      assert.equal((await feed.next()).isLossy, false)
    }
    now = 600_000
    assert.equal((await feed.next()).isLossy, false)
  })

  test('a change whose transaction ends late is told then', async () => {
    const { pool } = service.database
    const feed = createChangeFeed(pool, undefined)
    await feed.start()
    const late = await pool.connect()
    await late.query('BEGIN')
    await late.query(
      `INSERT INTO docket.history (entity_key, entity_id, operation, changes) VALUES ('order', 700700, 'update', '{}')`,
    )
    await create()
    for (let time = 0; time < 3; time += 1)
      assert.ok((await feed.next()).changes.every(({ recordId }) => recordId !== 700_700))
    await late.query('COMMIT')
    late.release()
    const { changes } = await feed.next()
    assert.deepEqual(
      changes.map(({ recordId }) => recordId),
      [700_700],
    )
  })
})
