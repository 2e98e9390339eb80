/** GET actions: what this caller may do now, with the form to fill in. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestService } from '../support/service.ts'
import {
  createRequest,
  createReviewed,
  issuesOf,
  people,
  proceed,
  startWorkflows,
} from './a-workflow-project.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await startWorkflows()
  ask = service.ask
})
after(() => service.stop())

type Open = { key: string; form: { fields: { column: string }[] } | null }

const actionsOf = async (id: number, as?: string) => {
  const reply = await ask('GET', `/request/${id}/actions`, as === undefined ? {} : { as })
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}
const keysOf = async (id: number, as?: string): Promise<string[]> =>
  (await actionsOf(id, as)).data.map(({ key }: Open) => key)

test('the step, and every action with its end', async () => {
  const id = await createRequest(service)
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
  })
})

test('a form with its fields, as a body names them', async () => {
  const id = await createReviewed(service)
  const { data } = await actionsOf(id, people.approver)
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

test('hidden fields are left out, and an action that requires one too', async () => {
  const id = await createReviewed(service, {}, people.buyer)
  const { data } = await actionsOf(id, people.buyer)
  assert.deepEqual(
    data.map(({ key }: Open) => key),
    ['approve', 'cancel'],
  )
  assert.deepEqual(
    data[0].form.fields.map(({ column }: { column: string }) => column),
    ['approver_id', 'vendor_id', 'notes', 'code', 'amount'],
  )
})

test('in a final step nothing is open', async () => {
  const id = await createRequest(service)
  await proceed(service, id, { action: 'cancel' })
  assert.deepEqual(await actionsOf(id), {
    step: { key: 'cancelled', name: 'cancelled', final: true },
    data: [],
  })
})

test('only what the role may do, on what it may read', async () => {
  const id = await createRequest(service)
  assert.deepEqual(await keysOf(id, people.approver), [])
  assert.deepEqual(await keysOf(id, people.reader), [])
  const own = await createRequest(service, {}, people.buyer)
  assert.deepEqual(await keysOf(own, people.buyer), ['submit', 'remark', 'cancel'])
  const statusAs = async (as: string, of = id) =>
    (await ask('GET', `/request/${of}/actions`, { as })).status
  assert.equal(await statusAs(people.buyer), 404)
  assert.equal(await statusAs(people.buyer, 4711), 404)
  assert.equal(await statusAs(people.blind), 403)
  await ask('DELETE', `/request/${id}`)
  assert.equal(await statusAs(people.approver), 404)
})

test('a role that the step is hidden from learns what it may do, not where the record stands', async () => {
  const id = await createRequest(service)
  const { step, data } = await actionsOf(id, people.stepless)
  assert.deepEqual([step, data.map(({ key }: Open) => key)], [null, ['submit']])
})

test('whatever is listed can be taken', async () => {
  const filled: Readonly<Record<string, object>> = {
    approve: { approver_id: 1 },
    reject: { reason: 'x' },
    price: { margin: '1', amount: '1' },
  }
  for (const as of [people.buyer, people.approver]) {
    const keys = await keysOf(await createReviewed(service, {}, people.buyer), as)
    for (const action of keys) {
      const id = await createReviewed(service, {}, people.buyer)
      const values = action === 'cancel' ? filled.reject : filled[action]
      const reply = await proceed(service, id, { action, ...(values && { values }) }, { as })
      assert.equal(reply.status, 200, `${as} ${action} ${reply.text}`)
    }
  }
})

test('parameters and other methods are refused', async () => {
  const id = await createRequest(service)
  assert.deepEqual(issuesOf(await ask('GET', `/request/${id}/actions?step=review`), 400), [
    'step is not a parameter of this path',
  ])
  assert.equal((await ask('POST', `/request/${id}/actions`, { body: {} })).status, 405)
  assert.equal((await ask('GET', '/request/x/actions')).status, 400)
  assert.equal((await ask('GET', `/request/${id}/actions`, { as: null })).status, 401)
})

test('the definition that a role sees has the whole workflow, and no hidden field in its forms', async () => {
  const workflowAs = async (as: string) =>
    (await ask('GET', '/api/entities/request', { as })).json().workflow
  const seen = await workflowAs(people.buyer)
  assert.equal(seen.steps.length, 5)
  assert.deepEqual(
    seen.forms.map(({ fields }: { fields: string[] }) => fields.join()),
    ['approver,vendor,notes,code,amount', 'reason,notes', 'amount'],
  )
  assert.deepEqual(seen.forms[2].required, ['amount'])
  assert.deepEqual((await workflowAs(people.approver)).forms[2].required, ['margin', 'amount'])
  assert.equal((await ask('GET', '/api/entities/vendor')).json().workflow, null)
})
