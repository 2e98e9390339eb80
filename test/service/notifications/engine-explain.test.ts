/** POST /api/notifications/explain: recipients that a change would notify, reasons to skip others, rejected requests. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
import { act, addEveryone, addGroup, type Engine, memberCount, shareEngine } from './an-engine.ts'

const path = '/api/notifications/explain'
let engine: Engine
before(async () => {
  engine = await shareEngine('explained')
  const { ids } = engine
  await addGroup(engine, 'explained', [
    ids.anna,
    ids.owen,
    ids.sam,
    ids.removed,
    ids.inactive,
    ids.blocked,
  ])
})

const explain = async (body: object, options: object = {}) => {
  const reply = await engine.ask('POST', path, {
    body: { entityKey: 'explained', ...body },
    ...options,
  })
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}
type Entry = { index: number; matches: boolean; reason?: string }
const matches = ({ entries }: { entries: Entry[] }) =>
  entries.filter((entry) => entry.matches).map(({ index }) => index)

test('the answer has every rule, and every recipient with the content or the reason to skip them', async () => {
  const { ids } = engine
  const notes = new Date(Date.now() + 25 * 3_600_000).toISOString()
  const entityId = await engine.create(
    { topic: 'x', number: 'R-1', approver_id: ids.bruno, notes },
    'owen',
  )
  const userOf = (name: keyof typeof ids) => ({ id: ids[name], full_name: `${name} Example` })
  const skipped = (name: keyof typeof ids, reason: string) => ({
    user: userOf(name),
    ...{ told: false, reason, fields: [], groups: ['explained'] },
  })
  const email = { told: true, reason: null }
  const content = {
    icon: 'plus',
    title: 'New: Request R-1',
    message: notes,
    url: null,
  }
  const due_date = 'in 1 Tag'
  const inGroup = { told: true, reason: null, fields: [], groups: ['explained'], email }
  const { isActive, entries } = await explain(
    { entityId, operation: 'create' },
    { headers: { 'Accept-Language': 'de' } },
  )
  assert.equal(isActive, true)
  const create = { operation: 'create', action: null, matches: true, missingGroups: [] }
  const notified = (name: 'owen' | 'bruno', field: string) => ({
    user: userOf(name),
    ...{ told: true, reason: null, fields: [field], groups: [], email },
    content: { ...content, title: `Dear ${name} Example`, message: 'M', due_date },
  })
  assert.deepEqual(entries.slice(0, 2), [
    {
      index: 0,
      ...create,
      count: 2,
      recipients: [notified('bruno', 'approver'), notified('owen', '_created_by')],
    },
    {
      index: 1,
      ...create,
      missingGroups: ['nowhere'],
      count: 6,
      recipients: [
        { user: userOf('anna'), ...inGroup, content },
        { user: userOf('owen'), ...inGroup, content },
        skipped('sam', 'may not read the record'),
        skipped('removed', 'removed'),
        skipped('inactive', 'inactive'),
        skipped('blocked', 'blocked'),
      ],
    },
  ])
  const other = 'another operation or action'
  assert.deepEqual(
    entries.slice(2).map(({ index, matches: isMatch, reason }: Entry) => [index, isMatch, reason]),
    [
      [2, false, other],
      [3, false, other],
      [4, false, other],
      [5, false, 'its condition is not met'],
      [6, false, 'its condition is not met'],
    ],
  )
})

test('the caller is the actor', async () => {
  const entityId = await engine.create({ topic: 'x' })
  const { entries } = await explain({ entityId, operation: 'create' })
  assert.deepEqual(
    entries[0].recipients.map(({ told, reason }: { told: boolean; reason: string }) => [
      told,
      reason,
    ]),
    [[false, 'actor']],
  )
})

test('the actor may be somebody else, and one user alone may be asked for', async () => {
  const { ids } = engine
  const entityId = await engine.create({ topic: 'x', approver_id: ids.bruno }, 'owen')
  const body = { entityId, operation: 'create', actorId: ids.owen, userId: ids.owen }
  const { entries } = await explain(body)
  const found = entries
    .slice(0, 2)
    .map(({ count, recipients }: { count: number; recipients: { user: object }[] }) => [
      count,
      recipients.map(({ user, ...rest }) => ({ ...user, reason: rest })),
    ])
  assert.partialDeepStrictEqual(found, [
    [2, [{ id: ids.owen, reason: { told: false, reason: 'actor', fields: ['_created_by'] } }]],
    [6, [{ id: ids.owen, reason: { told: true, groups: ['explained'] } }]],
  ])
  const other = await explain({ ...body, userId: ids.sam })
  assert.deepEqual(other.entries[0].recipients, [])
})

test('users who get no e-mail are told why', async () => {
  const { ids, ask } = engine
  const entityId = await engine.create({ topic: 'x', approver_id: ids.bruno }, 'owen')
  const preferences = (email: boolean) =>
    ask('PUT', '/api/notifications/preferences', {
      as: 'bruno@example.com',
      body: { data: [{ entity: 'explained', operation: 'create', email }] },
    })
  const emailOf = async () =>
    (await explain({ entityId, operation: 'create', userId: ids.bruno })).entries[0].recipients[0]
      .email
  assert.deepEqual(await emailOf(), { told: true, reason: null })
  assert.equal((await preferences(false)).status, 200)
  assert.deepEqual(await emailOf(), { told: false, reason: 'has turned such e-mails off' })
  assert.equal((await preferences(true)).status, 200)
})

test('an action key means the open action in the step of the record, else the first action with the key', async () => {
  const entityId = await engine.create({ approver_id: engine.ids.anna })
  const operation = 'proceedToStep'
  assert.deepEqual(matches(await explain({ entityId, operation, action: 'refuse' })), [3, 4])
  assert.deepEqual(matches(await explain({ entityId, operation, action: 'approve' })), [4])
  assert.deepEqual(matches(await explain({ entityId, operation, action: 'submit' })), [])
  assert.deepEqual(matches(await explain({ entityId, operation: 'takeOwnership' })), [2])
  await act(engine, entityId, { action: 'submit' })
  const { entries } = await explain({ entityId, operation, action: 'approve' })
  assert.equal(entries[4].recipients[0].content.message, 'review')
})

test('a template that fails is listed with its error', async () => {
  const entityId = await engine.create({ approver_id: engine.ids.anna })
  await engine.settled()
  await engine.ask('PATCH', `/explained/${entityId}`, { body: { topic: 'memory' } })
  const { entries } = await explain({ entityId, operation: 'create' })
  assert.match(entries[5].recipients[0].fault, /memory alloc limit exceeded/)
})

test('the answer lists 100 recipients of a large group and counts all of them', async () => {
  await addEveryone(engine)
  const entityId = await engine.create()
  await engine.settled()
  await engine.ask('PATCH', `/explained/${entityId}`, { body: { topic: 'many' } })
  const { entries } = await explain({ entityId, operation: 'create' })
  assert.deepEqual([entries[6].count, entries[6].recipients.length], [memberCount, 100])
})

test('explain stores no notification, e-mail or job', async () => {
  const entityId = await engine.create({ topic: 'y', approver_id: engine.ids.anna })
  await engine.settled()
  const counts = async () =>
    (
      await engine.database.pool.query(
        `SELECT (SELECT count(*) FROM docket.notification) AS notifications, (SELECT count(*) FROM docket.delivery) AS mailed,
           (SELECT count(*) FROM docket.mailing) AS mailings, (SELECT count(*) FROM graphile_worker._private_jobs) AS jobs`,
      )
    ).rows
  const first = await counts()
  await explain({ entityId, operation: 'takeOwnership' })
  await explain({ entityId, operation: 'proceedToStep', action: 'approve' })
  assert.deepEqual(await counts(), first)
})

const valid = { entityKey: 'explained', entityId: 1, operation: 'proceedToStep', action: 'submit' }
const invalid: readonly (readonly [body: unknown, paths: readonly string[]])[] = [
  [{}, ['entityKey', 'entityId', 'operation']],
  [[], ['']],
  ['"text"', ['']],
  [{ ...valid, entityKey: 7 }, ['entityKey']],
  [
    { entityKey: 1, entityId: 0, operation: 'remove', x: 1 },
    ['x', 'entityKey', 'entityId', 'operation'],
  ],
  ...[0, -1, 1.5, '1', 2_147_483_648, null].map(
    (entityId) => [{ ...valid, entityId }, ['entityId']] as const,
  ),
  [{ ...valid, operation: 'update' }, ['operation']],
  [{ ...valid, action: undefined }, ['action']],
  [{ ...valid, action: 7 }, ['action']],
  [{ ...valid, operation: 'create' }, ['action']],
  [{ ...valid, actoin: 'x', user: 1 }, ['actoin', 'user']],
  [{ ...valid, userId: 0, actorId: '1' }, ['actorId', 'userId']],
  [{ ...valid, action: 'submti' }, ['action']],
  [{ __proto__: null, constructor: 1, ...valid }, ['constructor']],
]
test('an invalid body or a query parameter returns 400', async () => {
  await engine.create()
  for (const [body, paths] of invalid)
    assert.deepEqual(invalidPaths(await engine.ask('POST', path, { body }), 400), paths)
  assert.equal((await engine.ask('POST', `${path}?dry=1`, { body: valid })).status, 400)
})

test('a similar name is suggested for an unknown one', async () => {
  const reply = await engine.ask('POST', path, { body: { ...valid, action: 'submti', acton: 1 } })
  assert.match(reply.text, /did you mean \\"action\\"/)
  const second = await engine.ask('POST', path, { body: { ...valid, action: 'submti' } })
  assert.match(second.text, /did you mean \\"submit\\"/)
})

test('explain is for entities and records that exist', async () => {
  for (const wrong of [{ entityKey: 'reqeust' }, { entityId: 2_000_000_000 }]) {
    const reply = await engine.ask('POST', path, { body: { ...valid, ...wrong } })
    assert.equal(reply.status, 404, reply.text)
  }
})
