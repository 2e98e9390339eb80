/** POST /api/notifications/explain: who would be told, and why or why not; nothing is sent or stored. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { about, act, addGroup, type Engine, startEngine } from './an-engine.ts'

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
    about('heavy', recipient, { content: { title: '{% for i in (1..99999999) %}{% endfor %}' } }),
  ])
  const { ids } = engine
  await addGroup(engine, 'mixed', [ids.anna, ids.owen, ids.sam, ids.gone, ids.idle, ids.blocked])
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

test('every entry is told of, and of each person who is named whether and why not', async () => {
  const { ids } = engine
  const notes = new Date(Date.now() + 25 * 3_600_000).toISOString()
  const entityId = await engine.create(
    { topic: 'x', number: 'R-1', approver_id: ids.bruno, notes },
    'owen',
  )
  const person = (name: keyof typeof ids) => ({ id: ids[name], full_name: `${name} Example` })
  const skipped = (name: keyof typeof ids, reason: string) => ({
    user: person(name),
    told: false,
    reason,
  })
  const content = {
    icon: 'plus',
    title: 'New: Request R-1',
    message: notes,
    url: null,
  }
  const due_date = 'in 1 Tag'
  const { isActive, entries } = await explain(
    { entityId, operation: 'create' },
    { headers: { 'Accept-Language': 'de' } },
  )
  assert.equal(isActive, true)
  const create = { operation: 'create', action: null, matches: true, missingGroups: [] }
  const told = (name: 'owen' | 'bruno') => ({
    user: person(name),
    told: true,
    reason: null,
    content: { ...content, title: `Dear ${name} Example`, message: 'M', due_date },
  })
  assert.deepEqual(entries.slice(0, 2), [
    { index: 0, ...create, count: 2, recipients: [told('bruno'), told('owen')] },
    {
      index: 1,
      ...create,
      missingGroups: ['nowhere'],
      count: 6,
      recipients: [
        { user: person('anna'), told: true, reason: null, content },
        { user: person('owen'), told: true, reason: null, content },
        skipped('sam', 'may not read the record'),
        skipped('gone', 'removed'),
        skipped('idle', 'inactive'),
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
      [5, false, 'its condition does not hold'],
    ],
  )
})

test('it is the caller who acts', async () => {
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

test('an action is the one that is open in the step of the record, else the first of its key', async () => {
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

test('a template that fails is shown with its fault', async () => {
  const entityId = await engine.create({ approver_id: engine.ids.anna })
  await engine.ask('PATCH', `/request/${entityId}`, { body: { topic: 'heavy' } })
  const { entries } = await explain({ entityId, operation: 'create' })
  assert.match(entries[5].recipients[0].fault, /memory alloc limit exceeded/)
})

test('of a large group the first hundred are shown, and all are counted', async () => {
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

test('nothing is stored, no job and no e-mail is written', async () => {
  const entityId = await engine.create({ topic: 'y', approver_id: engine.ids.anna })
  await engine.settled().catch(() => undefined)
  const counts = async () =>
    (
      await engine.database.pool.query(
        `SELECT (SELECT count(*) FROM docket.notification) AS told, (SELECT count(*) FROM docket.delivery) AS mailed,
           (SELECT count(*) FROM docket.mailing) AS mailings, (SELECT count(*) FROM graphile_worker._private_jobs) AS jobs`,
      )
    ).rows
  const first = await counts()
  await explain({ entityId, operation: 'takeOwnership' })
  await explain({ entityId, operation: 'proceedToStep', action: 'approve' })
  assert.deepEqual(await counts(), first)
})

const right = { entityKey: 'request', entityId: 1, operation: 'proceedToStep', action: 'submit' }
const bad: readonly (readonly [body: unknown, paths: readonly string[]])[] = [
  [{}, ['entityKey', 'entityId', 'operation']],
  [[], ['']],
  ['"text"', ['']],
  [{ ...right, entityKey: 7 }, ['entityKey']],
  [
    { entityKey: 1, entityId: 0, operation: 'remove', x: 1 },
    ['x', 'entityKey', 'entityId', 'operation'],
  ],
  ...[0, -1, 1.5, '1', 2_147_483_648, null].map(
    (entityId) => [{ ...right, entityId }, ['entityId']] as const,
  ),
  [{ ...right, operation: 'update' }, ['operation']],
  [{ ...right, action: undefined }, ['action']],
  [{ ...right, action: 7 }, ['action']],
  [{ ...right, operation: 'create' }, ['action']],
  [{ ...right, actoin: 'x', userId: 1 }, ['actoin', 'userId']],
  [{ ...right, action: 'submti' }, ['action']],
  [{ __proto__: null, constructor: 1, ...right }, ['constructor']],
]
for (const [body, paths] of bad)
  test(`400 for ${JSON.stringify(body)}`, async () => {
    await engine.create()
    const reply = await engine.ask('POST', path, { body })
    assert.equal(reply.status, 400, reply.text)
    assert.deepEqual(
      reply.json().errors.map((issue: { path: string }) => issue.path),
      paths,
    )
  })

test('a wrong name comes with the right one', async () => {
  const reply = await engine.ask('POST', path, { body: { ...right, action: 'submti', acton: 1 } })
  assert.match(reply.text, /did you mean \\"action\\"/)
  const second = await engine.ask('POST', path, { body: { ...right, action: 'submti' } })
  assert.match(second.text, /did you mean \\"submit\\"/)
})

const refused: readonly [what: string, options: object, status: number][] = [
  ['nobody', { body: right, as: null }, 401],
  ['who is no administrator', { body: right, as: 'anna@example.com' }, 403],
  ['an entity that is none', { body: { ...right, entityKey: 'reqeust' } }, 404],
  ['a record that is none', { body: { ...right, entityId: 2_000_000_000 } }, 404],
  ['a body that is no JSON', { body: '{' }, 400],
  ['text', { body: 'x', headers: { 'Content-Type': 'text/plain' } }, 415],
]
for (const [what, options, status] of refused)
  test(`${status} for ${what}`, async () => {
    assert.equal((await engine.ask('POST', path, options)).status, status)
  })

test('400 for a query', async () => {
  assert.equal((await engine.ask('POST', `${path}?dry=1`, { body: right })).status, 400)
})

test('without the hook the answer says that nothing is sent', async (t) => {
  const inert = await startEngine([{ operation: 'create', recipient }], { hooks: [] })
  t.after(() => inert.stop())
  const entityId = await inert.create({ approver_id: inert.ids.anna })
  const body = { entityKey: 'request', entityId, operation: 'create' }
  const { isActive, entries } = (await inert.ask('POST', path, { body })).json()
  assert.equal(isActive, false)
  assert.equal(entries[0].count, 1)
})
