/** The actions that the caller may take now, with their forms, and how a request names them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ask,
  createRequest,
  createReviewed,
  proceed,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

shareWorkflows()

type Open = { key: string; form: { fields: { column: string }[] } | null }

const actionsOf = async (id: number, as?: string) => {
  const reply = await ask('GET', `/request/${id}/actions`, as === undefined ? {} : { as })
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}
const keysOf = async (id: number, as?: string): Promise<string[]> =>
  (await actionsOf(id, as)).data.map(({ key }: Open) => key)

test('the answer has the current step and every open action with its target step', async () => {
  const id = await createRequest()
  const review = { key: 'review', name: 'In review' }
  assert.deepEqual(await actionsOf(id), {
    step: { key: 'draft', name: 'Draft', final: false },
    data: [
      { key: 'submit', name: 'submit', kind: 'proceedToStep', to: review, form: null },
      {
        key: 'remark',
        name: 'Leave a remark',
        kind: 'proceedToStep',
        to: { key: 'draft', name: 'Draft' },
        form: null,
      },
      {
        key: 'cancel',
        name: 'cancel',
        kind: 'proceedToStep',
        to: { key: 'cancelled', name: 'cancelled' },
        form: null,
      },
    ],
    unmet: [],
    may: { update: true, delete: true, takeOwnership: true, tasks: true },
    unmetRights: [],
    mayCreate: {},
  })
})

test('a form lists its fields with the names that a body uses', async () => {
  const id = await createReviewed()
  const { data } = await actionsOf(id, users.approver)
  assert.deepEqual(
    data.map(({ key }: Open) => key),
    ['approve', 'reject', 'price'],
  )
  assert.deepEqual(data[1], {
    key: 'reject',
    name: 'reject',
    kind: 'rejectWorkflow',
    to: { key: 'rejected', name: 'rejected' },
    form: {
      key: 'reject',
      fields: [
        { key: 'reason', column: 'reason', name: 'Reason', type: 'text', required: true },
        { key: 'notes', column: 'notes', name: 'notes', type: 'text', required: false },
      ],
      callerFields: [],
    },
  })
  assert.deepEqual(data[0].form.fields[0], {
    key: 'approver',
    column: 'approver_id',
    name: 'Approver',
    type: 'manyToOne',
    required: true,
  })
})

test('hidden fields are left out, and so is an action that requires one', async () => {
  const id = await createReviewed({}, users.buyer)
  const { data } = await actionsOf(id, users.buyer)
  assert.deepEqual(
    data.map(({ key }: Open) => key),
    ['approve', 'cancel'],
  )
  assert.deepEqual(
    data[0].form.fields.map(({ column }: { column: string }) => column),
    ['approver_id', 'vendor_id', 'notes', 'code', 'amount'],
  )
})

test('a final step has no open actions', async () => {
  const id = await createRequest()
  await proceed(id, { action: 'cancel' })
  assert.deepEqual(await actionsOf(id), {
    step: { key: 'cancelled', name: 'cancelled', final: true },
    data: [],
    unmet: [],
    may: { update: true, delete: true, takeOwnership: true, tasks: true },
    unmetRights: [],
    mayCreate: {},
  })
})

test('only actions that the role may take are listed', async () => {
  const id = await createRequest()
  assert.deepEqual(await keysOf(id, users.approver), [])
  assert.deepEqual(await keysOf(id, users.reader), [])
  const own = await createRequest({}, users.buyer)
  assert.deepEqual(await keysOf(own, users.buyer), ['submit', 'remark', 'cancel'])
})

test('a role that the step is hidden from gets its actions without the step', async () => {
  const id = await createRequest()
  const { step, data } = await actionsOf(id, users.hides_step)
  assert.deepEqual([step, data.map(({ key }: Open) => key)], [null, ['submit']])
})

test('every listed action can be taken', async () => {
  const filled: Readonly<Record<string, object>> = {
    approve: { approver_id: 1 },
    reject: { reason: 'x' },
    price: { margin: '1', amount: '1' },
  }
  for (const as of [users.buyer, users.approver]) {
    const keys = await keysOf(await createReviewed({}, users.buyer), as)
    for (const action of keys) {
      const id = await createReviewed({}, users.buyer)
      const values = action === 'cancel' ? filled.reject : filled[action]
      const reply = await proceed(id, { action, ...(values && { values }) }, { as })
      assert.equal(reply.status, 200, `${as} ${action} ${reply.text}`)
    }
  }
})

test('the definition that a role reads has the whole workflow without hidden fields in its forms', async () => {
  const workflowAs = async (as: string) =>
    (await ask('GET', '/api/entities/request', { as })).json().workflow
  const seen = await workflowAs(users.buyer)
  assert.equal(seen.steps.length, 5)
  assert.deepEqual(
    seen.forms.map(({ fields }: { fields: string[] }) => fields.join()),
    ['approver,vendor,notes,code,amount', 'reason,notes', 'amount'],
  )
  assert.deepEqual(seen.forms[2].required, ['amount'])
  assert.deepEqual((await workflowAs(users.approver)).forms[2].required, ['margin', 'amount'])
  assert.equal((await ask('GET', '/api/entities/vendor')).json().workflow, null)
})

// A request may name an action by its kind when exactly one action of that kind is open.
test('a request that names a kind takes the only open action of that kind, with its form', async () => {
  const id = await createReviewed()
  const body = { action: 'approveWorkflow', values: { approver_id: 1 } }
  const reply = await proceed(id, body)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.json()._step, 'approved')
  const history = (await ask('GET', `/request/${id}/history`)).json().data
  assert.equal(history[0].action.key, 'approve')
})

test('a kind with several open actions returns 400 with their keys, and the step does not change', async () => {
  const id = await createReviewed()
  const reply = await proceed(id, { action: 'rejectWorkflow', values: { reason: 'x' } })
  assert.equal(reply.status, 400, reply.text)
  assert.deepEqual(reply.json().errors, [
    {
      path: 'action',
      message:
        '"rejectWorkflow" is the kind of several open actions: "reject", "cancel"; name one of them',
    },
  ])
  assert.equal((await ask('GET', `/request/${id}`)).json()._step, 'review')
})

test('a kind without an open action returns the same error as an action that is not open', async () => {
  const id = await createRequest()
  const reply = await proceed(id, { action: 'approveWorkflow' })
  assert.equal(reply.status, 409, reply.text)
  assert.equal(reply.json().code, 'workflow.action-not-open')
})

test('permission for the action itself is required', async () => {
  const id = await createReviewed()
  const refused = await Promise.all(
    ['approve', 'approveWorkflow'].map((action) =>
      proceed(id, { action, values: { approver_id: 1 } }, { as: users.hides_step }),
    ),
  )
  assert.deepEqual(
    refused.map(({ status }) => status),
    [403, 403],
  )
})
