/** A request may name an action by its kind when exactly one action of that kind is open. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestService } from '../../support/service.ts'
import {
  createRequest,
  createReviewed,
  proceed,
  startWorkflows,
  users,
} from './a-workflow-project.ts'

let service: TestService
before(async () => {
  service = await startWorkflows()
})
after(() => service.stop())

test('a request that names a kind takes the only open action of that kind, with its form', async () => {
  const id = await createReviewed(service)
  const body = { action: 'approveWorkflow', values: { approver_id: 1 } }
  const reply = await proceed(service, id, body)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.json()._step, 'approved')
  const history = (await service.ask('GET', `/request/${id}/history`)).json().data
  assert.equal(history[0].action.key, 'approve')
})

test('a kind with several open actions returns 400 with their keys, and the step does not change', async () => {
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

test('a kind without an open action returns the same error as an action that is not open', async () => {
  const id = await createRequest(service)
  const reply = await proceed(service, id, { action: 'approveWorkflow' })
  assert.equal(reply.status, 409, reply.text)
  assert.equal(reply.json().code, 'workflow.action-not-open')
})

test('permission for the action itself is required', async () => {
  const id = await createReviewed(service)
  const refused = await Promise.all(
    ['approve', 'approveWorkflow'].map((action) =>
      proceed(service, id, { action, values: { approver_id: 1 } }, { as: users.hides_step }),
    ),
  )
  assert.deepEqual(
    refused.map(({ status }) => status),
    [403, 403],
  )
})
