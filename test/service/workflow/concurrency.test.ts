/** Of several concurrent callers exactly one takes the action; the others get a conflict. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply } from '../../support/service.ts'
import {
  ask,
  createRequest,
  createReviewed,
  proceed,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

shareWorkflows()

const outcomes = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort()
const historyOf = async (id: number) => (await ask('GET', `/request/${id}/history`)).json().data

test('of two concurrent actions one succeeds and the other returns 409', async () => {
  for (let round = 0; round < 6; round++) {
    const id = await createReviewed()
    const replies = await Promise.all([
      proceed(id, { action: 'approve', values: { approver_id: 1 } }),
      proceed(id, { action: 'reject', values: { reason: 'x' } }, { as: users.approver }),
    ])
    assert.deepEqual(outcomes(replies), [200, 409])
    const succeeded = replies.find(({ status }) => status === 200)?.json()
    const rejected = replies.find(({ status }) => status === 409)?.json()
    assert.equal(rejected.code, 'workflow.action-not-open')
    const record = (await ask('GET', `/request/${id}`)).json()
    assert.deepEqual(record, succeeded)
    // The record has no values of the rejected action.
    assert.equal(record.approver_id === null, record._step === 'rejected')
    assert.equal(record.reason === null, record._step === 'approved')
    assert.equal((await historyOf(id)).length, 3)
  }
})

test('of ten concurrent submissions one succeeds', async () => {
  const id = await createRequest()
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => proceed(id, { action: 'submit' })),
  )
  assert.deepEqual(outcomes(replies), [200, ...Array.from({ length: 9 }, () => 409)])
  assert.equal((await historyOf(id)).length, 2)
})

test('of an action and a change with the same ETag one succeeds', async () => {
  for (let round = 0; round < 4; round++) {
    const id = await createRequest()
    const headers = { 'If-Match': '"1"' }
    const replies = await Promise.all([
      proceed(id, { action: 'submit' }, { headers }),
      ask('PATCH', `/request/${id}`, { body: { notes: 'x' }, headers }),
    ])
    assert.deepEqual(outcomes(replies), [200, 412])
  }
})

test('a removal concurrent with an action removes the record', async () => {
  for (let round = 0; round < 4; round++) {
    const id = await createRequest()
    const [action, removal] = await Promise.all([
      proceed(id, { action: 'submit' }),
      ask('DELETE', `/request/${id}`),
    ])
    assert.equal(removal.status, 204)
    assert.ok([200, 404].includes(action.status))
  }
})

test('concurrent actions that lead back to the same step all succeed', async () => {
  const id = await createRequest()
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      proceed(id, { action: 'remark', comment: `${index}` }),
    ),
  )
  assert.deepEqual(new Set(outcomes(replies)), new Set([200]))
  const entries = (await ask('GET', `/request/${id}/history?limit=100`)).json().data
  assert.equal(new Set(entries.map(({ comment }: { comment: string }) => comment)).size, 11)
})

test('failed and successful concurrent actions leave every connection free', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => createReviewed()))
  const replies = await Promise.all(
    ids.map((id, index) =>
      proceed(id, {
        action: 'approve',
        values: { approver_id: index % 2 === 0 ? 1 : 4711 },
      }),
    ),
  )
  assert.deepEqual(
    replies.map(({ status }) => status),
    ids.map((_, index) => (index % 2 === 0 ? 200 : 422)),
  )
})
