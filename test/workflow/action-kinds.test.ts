/** An action may be named by its kind, where just one action of that kind is open. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestService } from '../support/service.ts'
import {
  createRequest,
  createReviewed,
  people,
  proceed,
  startWorkflows,
} from './a-workflow-project.ts'

let service: TestService
before(async () => {
  service = await startWorkflows()
})
after(() => service.stop())

test('the one open action of the kind is taken, with its form', async () => {
  const id = await createReviewed(service)
  const body = { action: 'approveWorkflow', values: { approver_id: 1 } }
  const reply = await proceed(service, id, body)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.json()._step, 'approved')
  const history = (await service.ask('GET', `/request/${id}/history`)).json().data
  assert.equal(history[0].action.key, 'approve')
})

test('where several are open they are named, and nothing is done', async () => {
  const id = await createReviewed(service)
  const reply = await proceed(service, id, { action: 'rejectWorkflow', values: { reason: 'x' } })
  assert.equal(reply.status, 400, reply.text)
  assert.deepEqual(reply.json().errors, [
    {
      path: 'action',
      message:
        '"rejectWorkflow" is the kind of several open actions: "reject", "cancel"; name one of them',
    },
  ])
  assert.equal((await service.ask('GET', `/request/${id}`)).json()._step, 'review')
})

test('where none is open it is told as of any action', async () => {
  const id = await createRequest(service)
  const reply = await proceed(service, id, { action: 'approveWorkflow' })
  assert.equal(reply.status, 409, reply.text)
  assert.equal(reply.json().code, 'workflow.action-not-open')
})

test('the right to the action itself is needed', async () => {
  const id = await createReviewed(service)
  const refused = await Promise.all(
    ['approve', 'approveWorkflow'].map((action) =>
      proceed(service, id, { action, values: { approver_id: 1 } }, { as: people.stepless }),
    ),
  )
  assert.deepEqual(
    refused.map(({ status }) => status),
    [403, 403],
  )
})
