/**
 * Whom an operation of the caller would notify (POST /api/notifications/recipients), and who was notified of what happened
 * to a record (GET /:entity/:id/notified), as far as the caller may know it.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
import { act, addEveryone, addGroup, type Engine, shareEngine } from './an-engine.ts'

const path = '/api/notifications/recipients'

let engine: Engine
before(async () => {
  engine = await shareEngine('preview')
  const { ids } = engine
  await addGroup(engine, 'preview', [ids.anna, ids.clara, ids.sam, ids.blocked])
})

const preview = async (body: object, as?: string) => {
  const options = {
    body: { entityKey: 'preview', ...body },
    ...(as && { as: `${as}@example.com` }),
  }
  const reply = await engine.ask('POST', path, options)
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}
const submit = (entityIds: readonly number[], as?: string) =>
  preview({ operation: 'proceedToStep', action: 'submit', entityIds }, as)

test('it names the users whom an action would notify, and they are notified then', async () => {
  const { ids } = engine
  const values = { topic: 'x', approver_id: ids.bruno, deputy_id: ids.anna }
  const id = await engine.create(values, 'anna')
  assert.deepEqual(await submit([id], 'anna'), {
    ...{ records: 1, count: 3, emails: 3, hasMore: false, isPartial: false },
    people: (['anna', 'bruno', 'clara'] as const).map((name) => ({
      ...{ id: ids[name], full_name: `${name} Example` },
    })),
  })
  assert.deepEqual(await engine.notifiedNames(id), [])
  await act(engine, id, { action: 'submit' }, 'anna')
  assert.deepEqual(await engine.notifiedNames(id), ['anna', 'bruno', 'clara'])
})

test('who may not read users gets their number, and nothing of rules that read hidden fields', async () => {
  const { ids } = engine
  const values = { topic: 'x', approver_id: ids.bruno, deputy_id: ids.olga }
  const answers = [
    await submit([await engine.create(values)], 'kim'),
    await submit([await engine.create({ ...values, deputy_id: null, number: 'secret' })], 'kim'),
  ]
  const expected = { records: 1, count: 3, emails: 3, people: [], hasMore: false, isPartial: true }
  assert.deepEqual(answers, [expected, expected])
})

test('of many records each user counts once, and those that the action is not open for are left out', async () => {
  const { ids } = engine
  const values = { topic: 'x', approver_id: ids.bruno }
  const [first, second, taken] = [
    await engine.create(values),
    await engine.create(values),
    await engine.create(values),
  ]
  await act(engine, taken, { action: 'submit' })
  const { people, ...counts } = await submit([first, first, second, taken, 2_000_000_000], 'anna')
  assert.deepEqual(counts, { records: 2, count: 2, emails: 4, hasMore: false, isPartial: false })
  assert.deepEqual(
    people.map(({ id }: { id: number }) => id),
    [ids.bruno, ids.clara],
  )
})

test('a record that is not created yet is evaluated as it would be, and is not created', async () => {
  const { ids } = engine
  const region = (
    await engine.ask('POST', '/supplier', { body: { account_manager_id: ids.clara } })
  ).json()
  const create = (values: object, as: string) => preview({ operation: 'create', values }, as)
  const before = (await engine.ask('POST', '/preview/search', { body: { $count: true } })).json()
  const namesOf = ({ people }: { people: { full_name: string }[] }) =>
    people.map(({ full_name: name }) => name)
  const own = await create({ topic: 'new', approver_id: ids.bruno }, 'anna')
  assert.deepEqual(namesOf(own), ['anna Example', 'bruno Example'])
  const linked = { topic: 'east', supplier_id: region.id }
  assert.deepEqual(namesOf(await create(linked, 'anna')), ['clara Example'])
  // Who may not read suppliers learns nothing of them, nor of users that they may not link to.
  const { count, isPartial } = await create(linked, 'kim')
  assert.deepEqual([count, isPartial], [0, true])
  assert.equal((await create({ topic: 'new', approver_id: ids.bruno }, 'kim')).count, 1)
  assert.equal((await create({ topic: 'new', total: '1234567890123456' }, 'anna')).count, 1)
  const after = (await engine.ask('POST', '/preview/search', { body: { $count: true } })).json()
  assert.equal(after.count, before.count)
})

test('what is typed into the form of an action counts as if it were sent; what is refused does not', async () => {
  const { ids } = engine
  const values = { topic: 'x', deputy_id: ids.anna }
  const id = await engine.create(values)
  await act(engine, id, { action: 'submit' })
  const told = async (typed: object) => {
    const asked = { operation: 'proceedToStep', action: 'approve', entityIds: [id], values: typed }
    const { people } = await preview(asked, 'anna')
    return people.map((one: { id: number }) => one.id)
  }
  assert.deepEqual(await told({}), [])
  assert.deepEqual(await told({ notes: 'urgent' }), [ids.anna])
  assert.deepEqual(await told({ notes: 'urgent', deputy_id: ids.bruno }), [ids.bruno])
  assert.deepEqual(await told({ notes: 'urgent', deputy_id: null }), [])
  assert.deepEqual(await told({ notes: 'urgent', deputy_id: 2_000_000_000 }), [])
  const decision = { action: 'approve', values: { notes: 'urgent', deputy_id: ids.clara } }
  await engine.ask('POST', `/preview/${id}/proceedToStep`, { body: decision })
  assert.equal((await engine.notifiedNames(id)).at(-1), 'clara')
})

test('more than 1,000 users are not counted', async () => {
  await addEveryone(engine)
  const entityIds = [await engine.create()]
  const found = await preview({ operation: 'takeOwnership', entityIds }, 'anna')
  const { count, people, hasMore } = found
  assert.deepEqual([count, people.length, hasMore], [1000, 10, true])
})

const valid = { entityKey: 'preview', operation: 'proceedToStep', action: 'submit', entityIds: [1] }
const create = { entityKey: 'preview', operation: 'create' }
const invalid: readonly (readonly [body: object, paths: readonly string[]])[] = [
  [{}, ['entityKey', 'operation']],
  [{ ...valid, entityIds: [] }, ['entityIds']],
  [{ ...valid, entityIds: Array.from({ length: 51 }, (_, index) => index + 1) }, ['entityIds']],
  [{ ...valid, action: 'submti' }, ['action']],
  [{ ...valid, operation: 'takeOwnership', values: {} }, ['action', 'values']],
  [{ ...create, action: 'submit' }, ['values', 'action']],
  [{ ...create, values: { x: 1, total: [] } }, ['values.x', 'values.total']],
]
test('an invalid body returns 400', async () => {
  for (const [body, paths] of invalid) {
    const found = invalidPaths(await engine.ask('POST', path, { body }), 400)
    assert.deepEqual(found.toSorted(), paths.toSorted())
  }
})

const refused: readonly (readonly [as: string | null, body: object, status: number])[] = [
  ['kim', { ...valid, action: 'approve' }, 403],
  ['kim', { entityKey: 'preview', operation: 'takeOwnership', entityIds: [1] }, 403],
  ['sam', valid, 404],
  ['anna', { ...valid, entityKey: 'supplier' }, 404],
]
test('callers see it of operations that they may do, on records that they may read', async () => {
  for (const [as, body, status] of refused) {
    const options = { body, as: as && `${as}@example.com` }
    const reply = await engine.ask('POST', path, options)
    assert.equal(reply.status, status, `${as} ${JSON.stringify(body)}: ${reply.text}`)
  }
})

test('the description of an entity says which of its operations notify users', async () => {
  const reply = await engine.ask('GET', '/api/entities/preview', { as: 'kim@example.com' })
  assert.deepEqual(reply.json().notifiedOperations, ['create', 'proceedToStep', 'takeOwnership'])
})

describe('who was notified', () => {
  let sending: Engine
  before(async () => {
    sending = await shareEngine('sent')
    await addGroup(sending, 'sent', [sending.ids.anna, sending.ids.clara])
  })

  type Sent = {
    operation: string
    count: number
    isPartial: boolean
    people: { full_name: string; channels: { channel: string; at: string | null }[] }[]
  }

  const ask = (id: number, as?: string) =>
    sending.ask('GET', `/sent/${id}/notified`, as ? { as: `${as}@example.com` } : {})

  const sentOf = async (id: number, as?: string): Promise<readonly Sent[]> => {
    const reply = await ask(id, as)
    assert.equal(reply.status, 200, reply.text)
    return reply.json().data
  }

  const print = ({ operation, count, people, isPartial }: Sent) =>
    `${operation} ${count} ${people.map(({ full_name: name }) => name.split(' ')[0]).join()}${isPartial ? ' partial' : ''}`

  test('each event names whom it notified, by which channels and when', async () => {
    const id = await sending.create({ approver_id: sending.ids.bruno })
    await act(sending, id, { action: 'submit' })
    await sending.settled()
    const sent = await sentOf(id, 'anna')
    assert.deepEqual(sent.map(print), ['proceedToStep 3 anna,bruno,clara', 'create 1 bruno'])
    const channels = sent[1]?.people[0]?.channels ?? []
    assert.deepEqual(
      channels.map(({ channel }) => channel),
      ['email', 'inbox'],
    )
    assert.match(channels[1]?.at ?? '', /^\d{4}-.*Z$/)
    assert.equal(JSON.stringify(sent).includes('@'), false)
  })

  test('an event of another record, and one of which nobody was notified, is not among them', async () => {
    const [one, other] = [
      await sending.create({ approver_id: sending.ids.bruno }),
      await sending.create({}),
    ]
    await sending.settled()
    assert.deepEqual((await sentOf(one)).map(print), ['create 1 bruno'])
    assert.deepEqual(await sentOf(other), [])
  })

  test('who may not read users gets their number, and nothing of rules that read hidden fields', async () => {
    const { ids } = sending
    const id = await sending.create({ approver_id: ids.bruno, deputy_id: ids.clara }, 'anna')
    const taken = await sending.ask('POST', `/sent/${id}/takeOwnership`)
    assert.equal(taken.status, 200, taken.text)
    await sending.settled()
    assert.deepEqual((await sentOf(id, 'anna')).map(print), [
      'takeOwnership 1 clara',
      'create 1 bruno',
    ])
    assert.deepEqual((await sentOf(id, 'kim')).map(print), [
      'takeOwnership 0  partial',
      'create 1 ',
    ])
  })
})
