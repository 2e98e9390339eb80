/** What a watching stream tells besides records: numbers that may have changed, and that something was missed. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
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
