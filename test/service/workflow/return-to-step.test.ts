/** Actions of the kind returnToStep move a record to its previous step. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

const sendBack = { key: 'sendBack', kind: 'returnToStep' }
const to = (key: string, target: string) => ({ key, kind: 'proceedToStep', to: target })

const steps = (review: object = { key: 'review' }) => [
  { key: 'draft', actions: [to('submit', 'review'), to('skip', 'legal')] },
  { name: 'In review', ...review, actions: [to('ask', 'legal'), to('remark', 'review'), sendBack] },
  { key: 'legal', actions: [to('close', 'closed'), sendBack] },
  { key: 'closed', actions: [{ ...sendBack, key: 'reopen' }] },
]

const project = (workflowSteps: readonly object[]) =>
  writeProject({
    'entities/offer.json': {
      key: 'offer',
      fields: [{ key: 'title', type: 'string' }],
      workflow: { initialStep: 'draft', steps: workflowSteps },
    },
  })

let service: TestService
before(async () => {
  service = await startTestService(await project(steps()))
})
after(() => service.stop())

const proceed = (one: TestService, id: number, action: string) =>
  one.ask('POST', `/offer/${id}/proceedToStep`, { body: { action } })

/** Creates an offer and takes these actions on it. */
const createOffer = async (one: TestService, ...actions: string[]): Promise<number> => {
  const { id } = (await one.ask('POST', '/offer', { body: { title: 'Chairs' } })).json()
  for (const action of actions) {
    const reply = await proceed(one, id, action)
    assert.equal(reply.status, 200, reply.text)
  }
  return id
}

const stepAfter = async (id: number, action: string): Promise<string> => {
  const reply = await proceed(service, id, action)
  assert.equal(reply.status, 200, reply.text)
  return reply.json()._step
}

test('returnToStep moves a record to its previous step and writes this to its history', async () => {
  const review = await createOffer(service, 'submit')
  assert.equal(await stepAfter(review, 'sendBack'), 'draft')
  const { data } = (await service.ask('GET', `/offer/${review}/history`)).json()
  const action = { key: 'sendBack', kind: 'returnToStep', from: 'review', to: 'draft' }
  assert.deepEqual(data[0].action, action)
})

test('a step that can be reached from two steps returns to the one that the record came from', async () => {
  assert.equal(await stepAfter(await createOffer(service, 'skip'), 'sendBack'), 'draft')
  assert.equal(await stepAfter(await createOffer(service, 'submit', 'ask'), 'sendBack'), 'review')
})

test('returning twice goes two steps back, and a later action sets the previous step anew', async () => {
  const offer = await createOffer(service, 'submit', 'ask', 'sendBack')
  assert.equal(await stepAfter(offer, 'sendBack'), 'draft')
  assert.equal(await stepAfter(offer, 'skip'), 'legal')
  assert.equal(await stepAfter(offer, 'sendBack'), 'draft')
})

test('an action that leads back to its own step does not change the previous step', async () => {
  const offer = await createOffer(service, 'submit', 'remark', 'remark')
  assert.equal(await stepAfter(offer, 'returnToStep'), 'draft')
})

test('an open action of this kind has the previous step as its target step', async () => {
  const offer = await createOffer(service, 'submit', 'ask')
  const { data } = (await service.ask('GET', `/offer/${offer}/actions`)).json()
  assert.deepEqual(
    data.map((one: { key: string; to: object }) => [one.key, one.to]),
    [
      ['close', { key: 'closed', name: 'closed' }],
      ['sendBack', { key: 'review', name: 'In review' }],
    ],
  )
})

test('of two concurrent returns one succeeds', async () => {
  const offer = await createOffer(service, 'submit', 'ask', 'close')
  const replies = await Promise.all([1, 2].map(() => proceed(service, offer, 'reopen')))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409])
})

test('a record returns to a step that was renamed, and cannot return to a step that was removed', async () => {
  const database = await createPreparedDatabase()
  const kept = { ...database, drop: async () => undefined }
  const first = await startTestService(await project(steps()), {}, kept)
  const offers = [await createOffer(first, 'submit', 'ask'), await createOffer(first, 'skip')]
  await first.stop()
  const renamed = [
    { key: 'begin', actions: [to('submit', 'checking')] },
    { key: 'checking', was: 'review', actions: [to('ask', 'legal')] },
    { key: 'legal', actions: [sendBack] },
  ]
  const directory = await writeProject({
    'entities/offer.json': {
      key: 'offer',
      fields: [{ key: 'title', type: 'string' }],
      workflow: { initialStep: 'begin', steps: renamed },
    },
  })
  const second = await startTestService(directory, {}, database)
  const [fromReview = 0, fromDraft = 0] = offers
  assert.equal((await proceed(second, fromReview, 'sendBack')).json()._step, 'checking')
  assert.deepEqual((await second.ask('GET', `/offer/${fromDraft}/actions`)).json().data, [])
  const refused = await proceed(second, fromDraft, 'sendBack')
  assert.equal(refused.status, 409)
  assert.equal(refused.json().code, 'workflow.action-not-open')
  await second.stop()
})
