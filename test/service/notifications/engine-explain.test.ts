/** POST /api/notifications/explain: recipients that a change would notify, and reasons to skip others. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { about } from '../../support/notifications/an-engine-project.ts'
import { act, addGroup, type Engine, startEngine } from './an-engine.ts'

const path = '/api/notifications/explain'
const recipient = { userFields: ['approver'] }

let engine: Engine
before(async () => {
  engine = await startEngine([
    about(
      'x',
      { userFields: ['approver', '_created_by'], includeActor: false },
      {
        content: {
          title: 'Dear {{ recipient.full_name }}',
          message: 'M',
          due_date: '{{ record.notes }}',
        },
      },
    ),
    about(
      'x',
      { userGroups: ['mixed', 'nowhere'] },
      { content: { message: '{{ record.notes }}' } },
    ),
    { operation: 'takeOwnership', recipient },
    { operation: 'proceedToStep', action: 'rejectWorkflow', recipient },
    {
      operation: 'proceedToStep',
      action: 'decision',
      recipient,
      content: { message: '{{ action.from }}' },
    },
    about('memory', recipient, { content: { title: '{% for i in (1..99999999) %}{% endfor %}' } }),
  ])
  const { ids } = engine
  await addGroup(engine, 'mixed', [
    ids.anna,
    ids.owen,
    ids.sam,
    ids.removed,
    ids.inactive,
    ids.blocked,
  ])
})
after(() => engine.stop())

const explain = async (body: object, options: object = {}) => {
  const reply = await engine.ask('POST', path, {
    body: { entityKey: 'request', ...body },
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
    ...{ told: false, reason, fields: [], groups: ['mixed'] },
  })
  const email = { told: true, reason: null }
  const content = {
    icon: 'plus',
    title: 'New: Request R-1',
    message: notes,
    url: null,
  }
  const due_date = 'in 1 Tag'
  const inGroup = { told: true, reason: null, fields: [], groups: ['mixed'], email }
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
    [6, [{ id: ids.owen, reason: { told: true, groups: ['mixed'] } }]],
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
      body: { data: [{ entity: 'request', operation: 'create', email }] },
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
  await engine.ask('PATCH', `/request/${entityId}`, { body: { topic: 'memory' } })
  const { entries } = await explain({ entityId, operation: 'create' })
  assert.match(entries[5].recipients[0].fault, /memory alloc limit exceeded/)
})

test('the answer lists 100 recipients of a large group and counts all of them', async () => {
  const { pool } = engine.database
  await pool.query(
    `INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email, security_role_id)
     SELECT 'm' || n, 'M', 'N', 'Member ' || n, 'm' || n || '@example.com', 'm' || n || '@example.com', 1 FROM generate_series(1, 6000) n`,
  )
  await addGroup(engine, 'nowhere', [])
  await pool.query(
    `INSERT INTO records.user_group_member (user_group_id, user_id) SELECT g.id, u.id FROM records.user_group g, records."user" u WHERE g.code = 'nowhere' AND u.first_name = 'M'`,
  )
  const entityId = await engine.create({ approver_id: engine.ids.anna })
  await engine.ask('PATCH', `/request/${entityId}`, { body: { topic: 'x' } })
  const { entries } = await explain({ entityId, operation: 'create' })
  assert.deepEqual([entries[1].count, entries[1].recipients.length], [6006, 100])
})

test('explain stores no notification, e-mail or job', async () => {
  const entityId = await engine.create({ topic: 'y', approver_id: engine.ids.anna })
  await engine.settled().catch(() => undefined)
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

test('without the hook the answer has isActive false', async (t) => {
  const withoutHook = await startEngine([{ operation: 'create', recipient }], { hooks: [] })
  t.after(() => withoutHook.stop())
  const entityId = await withoutHook.create({ approver_id: withoutHook.ids.anna })
  const body = { entityKey: 'request', entityId, operation: 'create' }
  const { isActive, entries } = (await withoutHook.ask('POST', path, { body })).json()
  assert.equal(isActive, false)
  assert.equal(entries[0].count, 1)
})
