/** GET /:entity/:id/notified: who was notified of what happened to a record, as far as the caller may know it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { insertUser } from '../../../src/users/user-store.ts'
import { act, addGroup, type Engine, startEngine } from './an-engine.ts'

const onSubmit = { operation: 'proceedToStep', action: 'submit' } as const

// May read requests, but neither users nor the deputy of a request.
const clerk = {
  key: 'clerk',
  permissions: { request: { read: true, hiddenFields: ['deputy'] } },
} as const

let engine: Engine
before(async () => {
  engine = await startEngine(
    [
      { operation: 'create', recipient: { userFields: ['approver'] } },
      { ...onSubmit, recipient: { userFields: ['approver'], userGroups: ['board'] } },
      { operation: 'takeOwnership', recipient: { userFields: ['deputy'] } },
    ],
    {},
    { 'roles/clerk.json': clerk },
  )
  await addGroup(engine, 'board', [engine.ids.anna, engine.ids.clara])
  await insertUser(engine.database.pool, {
    ...{ identity_provider_user_id: 'kim', first_name: 'kim', last_name: 'Example' },
    ...{ full_name: 'kim Example', email: 'kim@example.com', role_key: 'clerk' },
  })
})
after(() => engine.stop())

type Sent = {
  operation: string
  count: number
  isPartial: boolean
  people: { full_name: string; channels: { channel: string; at: string | null }[] }[]
}

const ask = (id: number, as?: string) =>
  engine.ask('GET', `/request/${id}/notified`, as ? { as: `${as}@example.com` } : {})

const sentOf = async (id: number, as?: string): Promise<readonly Sent[]> => {
  const reply = await ask(id, as)
  assert.equal(reply.status, 200, reply.text)
  return reply.json().data
}

const print = ({ operation, count, people, isPartial }: Sent) =>
  `${operation} ${count} ${people.map(({ full_name: name }) => name.split(' ')[0]).join()}${isPartial ? ' partial' : ''}`

test('each event names whom it notified, by which channels and when', async () => {
  const id = await engine.create({ approver_id: engine.ids.bruno })
  await act(engine, id, { action: 'submit' })
  await engine.settled()
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
    await engine.create({ approver_id: engine.ids.bruno }),
    await engine.create({}),
  ]
  await engine.settled()
  assert.deepEqual((await sentOf(one)).map(print), ['create 1 bruno'])
  assert.deepEqual(await sentOf(other), [])
})

test('who may not read users gets their number, and nothing of rules that read hidden fields', async () => {
  const { ids } = engine
  const id = await engine.create({ approver_id: ids.bruno, deputy_id: ids.clara }, 'anna')
  const taken = await engine.ask('POST', `/request/${id}/takeOwnership`)
  assert.equal(taken.status, 200, taken.text)
  await engine.settled()
  assert.deepEqual((await sentOf(id, 'anna')).map(print), [
    'takeOwnership 1 clara',
    'create 1 bruno',
  ])
  assert.deepEqual((await sentOf(id, 'kim')).map(print), ['takeOwnership 0  partial', 'create 1 '])
})

test('a record that the caller may not read tells nothing', async () => {
  const id = await engine.create({ approver_id: engine.ids.bruno })
  await engine.settled()
  assert.equal((await ask(id, 'sam')).status, 404)
  assert.equal((await engine.ask('GET', '/supplier/1/notified')).status, 404)
})
