/** Actions of the kind returnToStep move a record to its previous step. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import { startTestService, writeProject } from '../../support/service.ts'
import { action, ask, offer, sendBack, service, shareWorkflows } from './a-workflow-project.ts'

shareWorkflows()

const proceed = (id: number, key: string, one = service) =>
  one.ask('POST', `/offer/${id}/proceedToStep`, { body: { action: key } })

/** Creates an offer and takes these actions on it. */
const createOffer = async (actions: readonly string[], one = service): Promise<number> => {
  const { id } = (await one.ask('POST', '/offer', { body: { title: 'Chairs' } })).json()
  for (const key of actions) {
    const reply = await proceed(id, key, one)
    assert.equal(reply.status, 200, reply.text)
  }
  return id
}

const stepAfter = async (id: number, key: string): Promise<string> => {
  const reply = await proceed(id, key)
  assert.equal(reply.status, 200, reply.text)
  return reply.json()._step
}

test('returnToStep moves a record to its previous step and writes this to its history', async () => {
  const review = await createOffer(['submit'])
  assert.equal(await stepAfter(review, 'sendBack'), 'draft')
  const { data } = (await ask('GET', `/offer/${review}/history`)).json()
  assert.deepEqual(data[0].action, { ...sendBack, from: 'review', to: 'draft' })
})

test('a step that can be reached from two steps returns to the one that the record came from', async () => {
  assert.equal(await stepAfter(await createOffer(['skip']), 'sendBack'), 'draft')
  assert.equal(await stepAfter(await createOffer(['submit', 'ask']), 'sendBack'), 'review')
})

test('returning twice goes two steps back, and a later action sets the previous step anew', async () => {
  const offer = await createOffer(['submit', 'ask', 'sendBack'])
  assert.equal(await stepAfter(offer, 'sendBack'), 'draft')
  assert.equal(await stepAfter(offer, 'skip'), 'legal')
  assert.equal(await stepAfter(offer, 'sendBack'), 'draft')
})

test('an action that leads back to its own step does not change the previous step', async () => {
  const offer = await createOffer(['submit', 'remark', 'remark'])
  assert.equal(await stepAfter(offer, 'returnToStep'), 'draft')
})

test('an open action of this kind has the previous step as its target step', async () => {
  const offer = await createOffer(['submit', 'ask'])
  const { data } = (await ask('GET', `/offer/${offer}/actions`)).json()
  assert.deepEqual(
    data.map((one: { key: string; to: object }) => [one.key, one.to]),
    [
      ['close', { key: 'closed', name: 'closed' }],
      ['sendBack', { key: 'review', name: 'In review' }],
    ],
  )
})

test('of two concurrent returns one succeeds', async () => {
  const offer = await createOffer(['submit', 'ask', 'close'])
  const replies = await Promise.all([1, 2].map(() => proceed(offer, 'reopen')))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409])
})

test('a record returns to a step that was renamed, and cannot return to a step that was removed', async () => {
  const database = await createPreparedDatabase()
  const kept = { ...database, drop: async () => undefined }
  const first = await startTestService(
    await writeProject({ 'entities/offer.json': offer }),
    {},
    kept,
  )
  const offers = [await createOffer(['submit', 'ask'], first), await createOffer(['skip'], first)]
  await first.stop()
  const renamed = [
    { key: 'begin', actions: [action('submit', 'checking')] },
    { key: 'checking', was: 'review', actions: [action('ask', 'legal')] },
    { key: 'legal', actions: [sendBack] },
  ]
  const directory = await writeProject({
    'entities/offer.json': { ...offer, workflow: { initialStep: 'begin', steps: renamed } },
  })
  const second = await startTestService(directory, {}, database)
  const [fromReview = 0, fromDraft = 0] = offers
  assert.equal((await proceed(fromReview, 'sendBack', second)).json()._step, 'checking')
  assert.deepEqual((await second.ask('GET', `/offer/${fromDraft}/actions`)).json().data, [])
  const refused = await proceed(fromDraft, 'sendBack', second)
  assert.equal(refused.status, 409)
  assert.equal(refused.json().code, 'workflow.action-not-open')
  await second.stop()
})
