/** POST /api/notifications/explain: recipients that a change would notify, reasons to skip others, rejected requests. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
import { awayFromMidnight } from '../../support/away-from-midnight.ts'
import { addEveryone, addGroup, memberCount, shareEngine } from './an-engine.ts'

const path = '/api/notifications/explain'
const engine = await shareEngine('explained')
const { ids } = engine
before(async () => {
  await addGroup(engine, 'explained', [ids.anna, ids.owen, ids.sam, ids.blocked])
})

const explain = async (body: object, headers: Record<string, string> = {}) => {
  const options = { body: { entityKey: 'explained', ...body }, headers }
  return (await engine.ask('POST', path, options)).json(200)
}
const explainCreate = async (entityId: number, more: object = {}) =>
  (await explain({ entityId, operation: 'create', ...more })).entries
/** A request whose topic is changed afterwards, so that nobody was notified of it. */
const createQuietly = async (topic: string) => {
  const id = await engine.create({ approver_id: ids.anna })
  await engine.settled()
  await engine.send('PATCH', `/explained/${id}`, { topic })
  return id
}

test('the answer has every rule, and every recipient with the content or the reason to skip them', async () => {
  // The end of the next day: one day by the calendar, by which the service counts, and 24 hours away at any hour of this one.
  await awayFromMidnight('Europe/Zagreb')
  const tomorrow = Temporal.Now.plainDateISO('Europe/Zagreb').add({ days: 1 })
  const end = tomorrow.toZonedDateTime({ timeZone: 'Europe/Zagreb', plainTime: '23:59:59' })
  const notes = end.toInstant().toString({ smallestUnit: 'millisecond' })
  const values = { topic: 'x', number: 'R-1', approver_id: ids.bruno, notes }
  const entityId = await engine.create(values, 'owen')
  const userOf = (name: keyof typeof ids) => ({ id: ids[name], full_name: `${name} Example` })
  const told = { told: true, reason: null }
  const url = `/console/explained/${entityId}`
  const content = { icon: 'plus', title: 'New: Request R-1', message: notes, url }
  const notified = (name: 'owen' | 'bruno', field: string) => ({
    user: userOf(name),
    ...told,
    fields: [field],
    groups: [],
    email: told,
    content: { ...content, title: `Dear ${name} Example`, message: 'M', due_date: 'in 1 Tag' },
  })
  const inGroup = (name: 'owen' | 'anna') => ({
    user: userOf(name),
    ...told,
    fields: [],
    groups: ['explained'],
    email: told,
    content,
  })
  const skipped = (name: keyof typeof ids, reason: string) => ({
    user: userOf(name),
    told: false,
    reason,
    fields: [],
    groups: ['explained'],
  })
  const asked = { entityId, operation: 'create' }
  const { isActive, entries } = await explain(asked, { 'Accept-Language': 'de' })
  assert.equal(isActive, true)
  const create = { operation: 'create', action: null, matches: true }
  assert.deepEqual(entries.slice(0, 2), [
    {
      index: 0,
      ...create,
      missingGroups: [],
      count: 2,
      recipients: [notified('bruno', 'approver'), notified('owen', '_created_by')],
    },
    {
      index: 1,
      ...create,
      missingGroups: ['nowhere'],
      count: 4,
      recipients: [
        ...[inGroup('anna'), inGroup('owen'), skipped('sam', 'may not read the record')],
        skipped('blocked', 'blocked'),
      ],
    },
  ])
  const others = entries.slice(2) as { index: number; matches: boolean; reason: string }[]
  assert.deepEqual(
    others.map(({ index, matches, reason }) => `${index} ${matches} ${reason}`),
    [
      ...[2, 3, 4].map((index) => `${index} false another operation or action`),
      ...[5, 6].map((index) => `${index} false its condition is not met`),
    ],
  )
})

test('the actor is the caller, or another user, and one user alone may be asked for', async () => {
  const own = await engine.create({ topic: 'x' })
  const [ofCaller] = await explainCreate(own)
  const [actor, ...others] = ofCaller.recipients
  assert.deepEqual([actor.told, actor.reason, others], [false, 'actor', []])
  const entityId = await engine.create({ topic: 'x', approver_id: ids.bruno }, 'owen')
  const entries = await explainCreate(entityId, { actorId: ids.owen, userId: ids.owen })
  const user = { id: ids.owen }
  assert.partialDeepStrictEqual(entries.slice(0, 2), [
    { count: 2, recipients: [{ user, told: false, reason: 'actor', fields: ['_created_by'] }] },
    { count: 4, recipients: [{ user, told: true, groups: ['explained'] }] },
  ])
  assert.equal(entries[1].recipients.length, 1)
  const [ofOther] = await explainCreate(entityId, { actorId: ids.owen, userId: ids.sam })
  assert.deepEqual(ofOther.recipients, [])
})

test('users who get no e-mail are told why', async () => {
  const entityId = await engine.create({ topic: 'x', approver_id: ids.bruno }, 'owen')
  for (const [isOn, expected] of [
    [false, { told: false, reason: 'has turned such e-mails off' }],
    [true, { told: true, reason: null }],
  ] as const) {
    const data = [
      { entity: 'explained', operation: 'create', email: isOn ? 'immediately' : 'never' },
    ]
    await engine.send('PUT', '/api/notifications/preferences', { data }, 'bruno')
    const [{ recipients }] = await explainCreate(entityId, { userId: ids.bruno })
    assert.deepEqual(recipients[0].email, expected)
  }
})

test('an action key means the open action in the step of the record, else the first action with the key', async () => {
  const entityId = await engine.create({ approver_id: ids.anna })
  const operation = 'proceedToStep'
  for (const [change, expected] of [
    [{ operation, action: 'refuse' }, [3, 4]],
    [{ operation, action: 'approve' }, [4]],
    [{ operation, action: 'submit' }, []],
    [{ operation: 'takeOwnership' }, [2]],
  ] as const) {
    const entries: { index: number; matches: boolean }[] = (await explain({ entityId, ...change }))
      .entries
    const matching = entries.filter(({ matches }) => matches).map(({ index }) => index)
    assert.deepEqual(matching, expected)
  }
  await engine.act(entityId, 'submit')
  const { entries } = await explain({ entityId, operation, action: 'approve' })
  assert.equal(entries[4].recipients[0].content.message, 'review')
})

test('a template that fails is listed with its error', async () => {
  const entries = await explainCreate(await createQuietly('memory'))
  assert.match(entries[5].recipients[0].fault, /memory alloc limit exceeded/)
})

test('the answer lists 100 recipients of a large group and counts all of them', async () => {
  await addEveryone(engine)
  const entries = await explainCreate(await createQuietly('many'))
  assert.deepEqual([entries[6].count, entries[6].recipients.length], [memberCount, 100])
})

const valid = { entityKey: 'explained', entityId: 1, operation: 'proceedToStep', action: 'submit' }
const invalid: readonly (readonly [body: object, paths: readonly string[]])[] = [
  [{}, ['entityKey', 'entityId', 'operation']],
  [
    { entityKey: 1, entityId: 0, operation: 'purge', x: 1 },
    ['x', 'entityKey', 'entityId', 'operation'],
  ],
  ...[0, 1.5, '1', 2_147_483_648].map(
    (entityId) => [{ ...valid, entityId }, ['entityId']] as const,
  ),
  [{ ...valid, operation: 'create' }, ['action']],
  ...[undefined, 7, 'submti'].map((action) => [{ ...valid, action }, ['action']] as const),
  [{ ...valid, userId: 0, actorId: '1' }, ['actorId', 'userId']],
  [{ __proto__: null, constructor: 1, ...valid }, ['constructor']],
]
test('invalid requests are rejected, and similar names suggested for unknown ones', async () => {
  await engine.create()
  const send = (body: object) => engine.ask('POST', path, { body })
  for (const [body, paths] of invalid) assert.deepEqual(invalidPaths(await send(body), 400), paths)
  assert.match((await send({ ...valid, acton: 1 })).text, /did you mean \\"action\\"/)
  assert.match((await send({ ...valid, action: 'submti' })).text, /did you mean \\"submit\\"/)
  for (const wrong of [{ entityKey: 'reqeust' }, { entityId: 2_000_000_000 }])
    assert.equal((await send({ ...valid, ...wrong })).status, 404)
})
