/** The stream with `watch` and `counts`: which changes it tells whom, and that something may have been missed. */
import assert from 'node:assert/strict'
import { afterEach, before, beforeEach, describe, test } from 'node:test'
import { createChangeFeed } from '../../../src/inbox/live/change-feed.ts'
import { insertPerson } from '../../support/a-person.ts'
import { invalidPaths } from '../../support/a-project.ts'
import { opened } from '../../support/afterwards.ts'
import { roleFiles } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { openReader, type Reader } from '../../support/notifications/a-stream-reader.ts'
import { startTestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const all = {
  create: true,
  read: true,
  update: true,
  delete: true,
  takeOwnership: true,
  tasks: true,
}
const roles = {
  buyer: { order: { ...all, actions: ['submit'] } },
  owner: { order: { ...all, read: 'own' } },
  drafter: { order: { ...all, conditions: { read: { _step: 'draft' } } } },
  blind: { order: { ...all, hiddenFields: ['_updated_by', 'margin'] } },
  approver: { order: { read: true, actions: ['approve'] } },
  checker: { order: { read: true }, item: { read: true, actions: ['pass'] } },
  nobody: { vault: { read: true } },
}
type Role = keyof typeof roles
const files = {
  'entities/order.json': {
    key: 'order',
    ownership: true,
    fields: [
      ...['number', 'margin'].map((key) => ({ key, type: 'string' })),
      { key: 'items', type: 'oneToMany', entity: 'item', mappedBy: 'order' },
    ],
    workflow: {
      initialStep: 'draft',
      steps: [
        { key: 'draft', actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }] },
        {
          key: 'review',
          actions: [{ key: 'approve', kind: 'approveWorkflow', to: 'done' }],
          locks: { fields: ['items'] },
        },
        { key: 'done', final: true },
      ],
    },
  },
  'entities/item.json': {
    key: 'item',
    fields: [{ key: 'order', type: 'manyToOne', entity: 'order' }],
    workflow: workflowOf({
      open: [{ key: 'pass', kind: 'approveWorkflow', to: 'passed' }],
      passed: [],
    }),
  },
  'entities/vault.json': { key: 'vault', fields: [{ key: 'name', type: 'string' }] },
  ...roleFiles(roles),
}

const ids = {} as Record<Role, number>
const query = (text: string) => service.database.pool.query(text)
const service = opened(() => startTestService(files))
before(async () => {
  for (const key of Object.keys(roles) as Role[])
    ids[key] = await insertPerson(service.database.pool, key, key)
})
const readers: Reader[] = []
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})

const mailOf = (role: Role) => `${role}@example.com`
/** Sends a request, which has to succeed, as the administrator or a user. */
const ask = async (method: string, path: string, body?: object, as?: Role) => {
  const options = { ...(as && { as: mailOf(as) }), ...(body && { body }) }
  const reply = await service.ask(method, path, options)
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`)
  return reply
}
const create = async (as?: Role): Promise<number> =>
  (await ask('POST', '/order', { number: 'PO-1', margin: 'secret' }, as)).json().id
const change = (id: number) => ask('PATCH', `/order/${id}`, { number: `PO-${Math.random()}` })
/** Opens a stream and waits for its first count. */
const open = async (parameters: string, as: Role, lastId?: string) => {
  const headers = lastId === undefined ? {} : { 'Last-Event-ID': lastId }
  const path = `/api/notifications/stream${parameters}`
  const token = await service.tokenOf(mailOf(as))
  const reader = await openReader(service.url, token, { path, headers })
  readers.push(reader)
  await until('the stream has begun', () => reader.counts().length === 1)
  return reader
}

type Change = Readonly<Record<'id' | 'version' | 'gone' | 'created' | 'by', unknown>>
const recordsOf = (reader: Reader): Change[] =>
  reader.events.filter(({ event }) => event === 'record').map(({ data }) => JSON.parse(data))
const countOf = (reader: Reader, kind: string) =>
  reader.events.filter(({ event }) => event === kind).length
const kindsOf = (reader: Reader) => reader.events.map(({ event }) => event)
const untilTold = (reader: Reader, id: number, wanted: Partial<Change>) =>
  until(`a change of ${id} is told`, () =>
    recordsOf(reader).some((one) =>
      Object.entries({ id, ...wanted }).every(([name, value]) => one[name as 'id'] === value),
    ),
  )
const untilReset = (reader: Reader, count = 1) =>
  until('a reset is sent', () => countOf(reader, 'reset') === count)

describe('watched records', () => {
  let id: number
  beforeEach(async () => {
    id = await create()
  })

  test('are told with version and actor, as far as the role may see them, and never with values', async () => {
    const reader = await open('?watch=order', 'buyer')
    const blind = await open('?watch=order', 'blind')
    const ofOne = await open(`?watch=order/${id}`, 'buyer')
    const plain = await open('', 'buyer')
    const created = await create('buyer')
    await untilTold(reader, created, { version: 1, by: ids.buyer, created: true })
    await change(id)
    await untilTold(reader, id, { version: 2, by: 1, created: undefined })
    assert.doesNotMatch(reader.text(), /PO-|secret/)
    const event = reader.events.find((one) => one.event === 'record')
    assert.equal(JSON.parse(event?.data ?? '').entity, 'order')
    // The position of the stream is that of notifications.
    assert.equal(event?.id, '')
    await untilTold(blind, id, { version: 2 })
    assert.ok(recordsOf(blind).every((one) => !('by' in one)))
    await untilTold(ofOne, id, { version: 2 })
    assert.deepEqual(new Set(recordsOf(ofOne).map((one) => one.id)), new Set([id]))
    assert.deepEqual(kindsOf(plain), ['count'])
  })

  test('are told at once if the version that the client has read is not that of now', async () => {
    const first = await open('?watch=order', 'buyer')
    await change(id)
    // What was told before a later change is told to nobody else.
    await untilTold(first, await create(), { version: 1 })
    const current = await open(`?watch=order/${id}:2`, 'buyer')
    const late = await open(`?watch=order/${id}:1`, 'buyer')
    await untilTold(late, id, { version: 2, by: 1 })
    await change(id)
    await untilTold(current, id, { version: 3 })
    assert.deepEqual(kindsOf(current), ['count', 'record'])
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
      await untilReset(reader)
      assert.ok(
        recordsOf(reader).every((one) => one.gone === true),
        name,
      )
    }
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
    await change(id)
    const own = await create('owner')
    await untilTold(reader, own, { version: 1 })
    // The role may take over what it may not read; here an administrator's record becomes its own.
    await query(`UPDATE records."order" SET _owned_by = ${ids.owner} WHERE id = ${id}`)
    await ask('POST', `/order/${id}/takeOwnership`)
    await untilTold(reader, id, { gone: true })
    await ask('DELETE', `/order/${own}`)
    await untilTold(reader, own, { gone: true })
    const told = recordsOf(reader).filter((one) => one.id === id)
    assert.deepEqual(told, [{ entity: 'order', id, gone: true }])
  })

  test('that a condition lets through are told, and gone when a change ends that', async () => {
    const reader = await open('?watch=order', 'drafter')
    const left = await create('buyer')
    await untilTold(reader, left, { version: 1 })
    await ask('POST', `/order/${left}/proceedToStep`, { action: 'submit' }, 'buyer')
    await untilTold(reader, left, { gone: true })
    await change(left)
    const next = await create('buyer')
    await untilTold(reader, next, { version: 1 })
    const told = recordsOf(reader).filter((one) => one.id === left)
    assert.deepEqual(told.slice(1), [{ entity: 'order', id: left, gone: true }])
  })
})

const insertHistory = `INSERT INTO docket.history (entity_key, entity_id, operation, changes)`

/** Begins a transaction that has changed a record; returns how it ends. */
const beginChange = async (id: number) => {
  const connection = await service.database.pool.connect()
  await connection.query('BEGIN')
  await connection.query(`${insertHistory} VALUES ('order', ${id}, 'change', '{}')`)
  return async () => {
    await connection.query('COMMIT')
    connection.release()
  }
}

describe('reset', () => {
  test('comes first when a stream is resumed, and not otherwise', async () => {
    const first = await open('?watch=order', 'buyer')
    const lastId = first.events[0]?.id
    const resumed = await open('?watch=order', 'buyer', lastId)
    await untilReset(resumed)
    assert.equal(countOf(first, 'reset'), 0)
    const plain = await open('', 'buyer', lastId)
    await untilTold(resumed, await create(), { version: 1 })
    assert.deepEqual(kindsOf(plain), ['count'])
  })

  test('replaces too many events', async () => {
    const reader = await open('?watch=order', 'buyer')
    await query(
      `WITH made AS (INSERT INTO records."order" (number, _step) SELECT n, 'draft' FROM generate_series(1, 300) n RETURNING id)
       ${insertHistory} SELECT 'order', id, 'create', '{}' FROM made`,
    )
    await untilReset(reader)
    await query(`${insertHistory} SELECT 'order', 1, 'change', '{}' FROM generate_series(1, 3000)`)
    await untilReset(reader, 2)
    await untilTold(reader, await create(), { version: 1 })
  })

  test('is sent when the record of the reader changes, with which conditions compare, and not to others', async () => {
    const reader = await open('?watch=order', 'drafter')
    const other = await open('?watch=order', 'buyer')
    await ask('PATCH', `/user/${ids.drafter}`, { job_title: 'Drafts' })
    await untilReset(reader)
    const id = await create('buyer')
    await untilTold(other, id, { version: 1 })
    assert.equal(countOf(other, 'reset'), 0)
  })

  test('is sent when the role of the reader changes, which then sees what it may', async () => {
    const watching = await open('?watch=order', 'blind')
    const setRole = (role: Role) =>
      query(
        `UPDATE records."user" SET security_role_id = (SELECT id FROM records.security_role WHERE key = '${role}') WHERE id = ${ids.blind}`,
      )
    await setRole('owner')
    const hidden = await create()
    await untilReset(watching)
    await untilTold(watching, await create('blind'), { version: 1 })
    assert.ok(recordsOf(watching).every((one) => one.id !== hidden))
    await setRole('blind')
  })
})

describe('counts', () => {
  test('approvals are told to those who may decide, and only when a step changes', async () => {
    const approver = await open('?counts=approvals', 'approver')
    const buyer = await open('?counts=approvals,tasks&watch=order', 'buyer')
    const id = await create('buyer')
    await ask('POST', `/order/${id}/proceedToStep`, { action: 'submit' }, 'buyer')
    await until('the approvals are told', () => countOf(approver, 'approvals') > 0)
    await untilTold(buyer, id, { version: 2 })
    assert.equal(countOf(buyer, 'approvals'), 0)
  })

  test('approvals are told when a step of another record locks what waits', async () => {
    const order = await create()
    await ask('POST', '/item', { order_id: order })
    const checker = await open('?counts=approvals&watch=order', 'checker')
    await ask('POST', `/order/${order}/proceedToStep`, { action: 'submit' }, 'buyer')
    await untilTold(checker, order, { version: 2 })
    await until('the approvals are told', () => countOf(checker, 'approvals') > 0)
  })

  test('tasks are told to the assignee, also to the former one', async () => {
    const first = await open('?counts=tasks', 'approver')
    const second = await open('?counts=tasks', 'nobody')
    const id = await create()
    const task = { description: 'Call', due_date: '2030-01-01 09:00:00', assigne_id: ids.approver }
    const { id: taskId } = (await ask('POST', `/order/${id}/task`, task)).json()
    const untilCounted = (...counts: number[]) =>
      until(`the tasks are told ${counts.join(' and ')} times`, () =>
        [first, second].every((reader, index) => countOf(reader, 'tasks') === counts[index]),
      )
    await untilCounted(1, 0)
    await ask('PUT', `/order/${id}/${taskId}`, { assigne_id: ids.nobody })
    await untilCounted(2, 1)
    assert.ok(kindsOf(first).every((kind) => ['count', 'tasks', 'notification'].includes(kind)))
  })
})

test('what may not be read cannot be watched, and names are limited', async () => {
  const get = (parameters: string, as: Role = 'buyer') =>
    service.ask('GET', `/api/notifications/stream?${parameters}`, { as: mailOf(as) })
  for (const [parameters, status, as] of [
    ['watch=order', 404, 'nobody'],
    ['watch=vault', 404],
    ['watch=task', 403],
    // Each name counts once.
    [`watch=${'order,'.repeat(30)}vault`, 404],
  ] as const)
    assert.equal((await get(parameters, as)).status, status, parameters)
  const many = Array.from({ length: 21 }, (_, index) => `order/${index + 1}`).join()
  const watch = [
    ...['order/', 'order/0', 'order/1:', 'order/1:0', 'order/2147483648', 'order,', 'Order', many],
  ]
  const counts = ['notes', 'tasks,tasks', 'tasks,']
  for (const [name, values] of Object.entries({ watch, counts }))
    for (const value of values)
      assert.deepEqual(invalidPaths(await get(`${name}=${value}`), 400), [name], value)
})

describe('the feed of changes', () => {
  let now = 0
  const startFeed = async () => {
    now = 0
    const feed = createChangeFeed(service.database.pool, [], () => now)
    await feed.start()
    return feed
  }
  /** A change after a number of ids that are missing. */
  const changeAhead = async (missing: number) => {
    await query(
      `SELECT setval(pg_get_serial_sequence('docket.history', 'id'), max(id) + ${missing}) FROM docket.history`,
    )
    await create()
  }

  test('too many missing ids are told as missed when their transactions have ended, each time', async () => {
    await create()
    const feed = await startFeed()
    for (const { minutes, isAhead = false, isLossy } of [
      { minutes: 0, isAhead: true, isLossy: false },
      { minutes: 4, isAhead: true, isLossy: false },
      { minutes: 5, isLossy: true },
      { minutes: 8, isLossy: false },
      { minutes: 9, isLossy: true },
      { minutes: 20, isLossy: false },
    ]) {
      // More than the feed waits for.
      if (isAhead) await changeAhead(20_000)
      now = minutes * 60_000
      assert.equal((await feed.next()).isLossy, isLossy, `after ${minutes} minutes`)
    }
  })

  test('ids of transactions that were rolled back, as dry runs are, are not missed', async () => {
    const feed = await startFeed()
    for (let round = 0; round < 2; round += 1) {
      await changeAhead(6000)
      assert.equal((await feed.next()).isLossy, false)
      const { rows } = await query('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xmax')
      // Those of other tests may take a while.
      await until('every transaction that runs now has ended', async () => {
        const ended = `SELECT FROM pg_current_snapshot() s WHERE pg_snapshot_xmin(s)::text::bigint >= ${rows[0]?.xmax}`
        return (await query(ended)).rowCount === 1
      })
      assert.equal((await feed.next()).isLossy, false)
    }
    now = 600_000
    assert.equal((await feed.next()).isLossy, false)
  })

  test('a change whose transaction ends late is told then', async () => {
    const feed = await startFeed()
    const end = await beginChange(700_700)
    await create()
    for (let time = 0; time < 3; time += 1)
      assert.ok((await feed.next()).changes.every(({ recordId }) => recordId !== 700_700))
    await end()
    const { changes } = await feed.next()
    assert.deepEqual(
      changes.map(({ recordId }) => recordId),
      [700_700],
    )
  })
})
