/** proceedToStep takes an open action and returns the record in its new step. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Reply } from '../../support/service.ts'
import {
  ask,
  createRequest,
  createReviewed,
  issuesOf,
  proceed,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

shareWorkflows()

const historyOf = async (id: number, as?: string) => {
  const reply = await ask('GET', `/request/${id}/history`, as === undefined ? {} : { as })
  assert.equal(reply.status, 200, reply.text)
  return reply.json().data
}

const errorOf = (reply: Reply) => {
  const { code, detail } = reply.json()
  return [reply.status, code, detail]
}

describe('an open action', () => {
  test('returns the record in its new step, with its new ETag', async () => {
    const id = await createRequest()
    const reply = await proceed(id, { action: 'submit' })
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.json()._step, 'review')
    assert.equal(reply.headers.get('etag'), '"2"')
    const read = await ask('GET', `/request/${id}`)
    assert.deepEqual(reply.json(), read.json())
    assert.equal(read.headers.get('etag'), '"2"')
  })

  test('can be taken in each step until the final step', async () => {
    const id = await createRequest()
    const steps: string[] = []
    for (const body of [
      { action: 'submit' },
      { action: 'approve', values: { approver_id: 1, amount: '12.50' } },
    ])
      steps.push((await proceed(id, body)).json()._step)
    assert.deepEqual(steps, ['review', 'approved'])
    assert.deepEqual(errorOf(await proceed(id, { action: 'submit' })), [
      409,
      'workflow.action-not-open',
      `The action "submit" is not open in the step "approved" of request ${id}; open there: nothing.`,
    ])
  })

  test('is found in the current step when two steps have an action with the same key', async () => {
    const draft = await createRequest()
    assert.equal((await proceed(draft, { action: 'cancel' })).json()._step, 'cancelled')
    const review = await createReviewed()
    const reply = await proceed(review, { action: 'cancel', values: { reason: 'Late' } })
    assert.equal(reply.json()._step, 'rejected')
  })

  test('accepts a trailing slash in the path', async () => {
    const id = await createRequest()
    const body = { action: 'submit' }
    assert.equal((await ask('POST', `/request/${id}/proceedToStep/`, { body })).status, 200)
  })
})

describe('an action that cannot be taken', () => {
  test('returns 409 with the open actions when it is not open in the step', async () => {
    const id = await createRequest()
    assert.deepEqual(errorOf(await proceed(id, { action: 'approve' })), [
      409,
      'workflow.action-not-open',
      `The action "approve" is not open in the step "draft" of request ${id}; open there: "submit", "remark", "cancel".`,
    ])
  })

  test('returns 400 with a suggestion when the workflow does not have it', async () => {
    const id = await createRequest()
    assert.deepEqual(issuesOf(await proceed(id, { action: 'aprove' }), 400), [
      'action "aprove" is not an action of this workflow; did you mean "approve"?',
    ])
    assert.deepEqual(issuesOf(await proceed(id, { action: 'draft-review' }), 400), [
      'action "draft-review" is not an action of this workflow',
    ])
  })

  test('returns 404 when the entity has no workflow', async () => {
    const { id } = (await ask('POST', '/vendor', { body: { name: 'Acme' } })).json()
    const body = { action: 'submit' }
    assert.deepEqual(errorOf(await ask('POST', `/vendor/${id}/proceedToStep`, { body })), [
      404,
      'request.no-such-path',
      'Records of vendor have no workflow.',
    ])
  })

  test('returns 409 on the action when another record is in the target step and must be unique', async () => {
    const create = async () =>
      (await ask('POST', '/slot', { body: { place: 'A1' } })).json().id as number
    const take = (id: number) =>
      ask('POST', `/slot/${id}/proceedToStep`, { body: { action: 'take' } })
    const first = await create()
    assert.equal((await take(first)).status, 200)
    const second = await create()
    assert.deepEqual(issuesOf(await take(second), 409), [
      'action is already used by another slot in this combination of place, _step; it must be unique',
    ])
    assert.equal((await ask('GET', `/slot/${second}`)).json()._step, 'open')
    assert.equal((await ask('GET', `/slot/${second}/history`)).json().data.length, 1)
  })
})

describe('the history', () => {
  test('has the action, its comment and every changed field', async () => {
    const id = await createReviewed({ notes: 'Old' })
    const values = { reason: 'Too\tmany\nchairs 🪑', notes: null }
    const comment = 'We\nhave some.'
    const reply = await proceed(id, { action: 'reject', values, comment }, { as: users.approver })
    assert.equal(reply.status, 200, reply.text)
    const [entry, submitted, created] = await historyOf(id)
    const { id: entryId, at, user, task_id, ...entryValues } = entry
    assert.equal(user.full_name, 'approver Example')
    assert.ok(entryId > submitted.id)
    assert.equal(task_id, null)
    assert.equal(at, reply.json()._updated_at)
    assert.deepEqual(entryValues, {
      acting_user: null,
      operation: 'proceedToStep',
      changes: {
        reason: { before: null, after: 'Too\tmany\nchairs 🪑' },
        notes: { before: 'Old', after: null },
        _step: { before: 'review', after: 'rejected' },
      },
      action: { key: 'reject', kind: 'rejectWorkflow', from: 'review', to: 'rejected' },
      comment,
    })
    assert.deepEqual(
      [submitted.action, submitted.comment],
      [{ key: 'submit', kind: 'proceedToStep', from: 'draft', to: 'review' }, null],
    )
    assert.deepEqual([created.operation, created.action], ['create', null])
  })

  test('has an action that leads back to its own step, though no field changed', async () => {
    const id = await createRequest()
    const body = { action: 'remark', comment: 'Seen.' }
    const reply = await proceed(id, body)
    assert.deepEqual(
      [reply.status, reply.json()._step, reply.headers.get('etag')],
      [200, 'draft', '"1"'],
    )
    const [entry] = await historyOf(id)
    assert.deepEqual([entry.changes, entry.comment], [{}, 'Seen.'])
    assert.deepEqual(entry.action, {
      key: 'remark',
      kind: 'proceedToStep',
      from: 'draft',
      to: 'draft',
    })
  })

  test('has no entry for a rejected action', async () => {
    const id = await createReviewed()
    await proceed(id, { action: 'submit' })
    await proceed(id, { action: 'reject' })
    await proceed(id, { action: 'approve', values: { approver_id: 4711 } })
    assert.equal((await historyOf(id)).length, 2)
  })

  test('leaves out fields and steps that the role hides', async () => {
    const id = await createReviewed({}, users.buyer)
    const values = { margin: '1.5', amount: '10' }
    await proceed(id, { action: 'price', values }, { as: users.approver })
    const [entry] = await historyOf(id, users.buyer)
    assert.deepEqual(Object.keys(entry.changes), ['amount'])
    assert.equal(entry.action.key, 'price')
    const [hidden] = await historyOf(id, users.hides_step)
    assert.equal(hidden.action, null)
  })
})
