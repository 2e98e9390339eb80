/** The actions that the caller may take now, with their forms; where they lead, also back; and how a request names them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { issuesOf } from '../../support/a-project.ts'
import {
  actionsOf,
  ask,
  createRequest,
  createReviewed,
  historyOf,
  keysOf,
  proceed,
  service,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

shareWorkflows()

const actionsAs = (id: number, as?: string) => actionsOf(`/request/${id}`, { as })
const keysAs = async (id: number, as?: string) => keysOf((await actionsAs(id, as)).data)

const rights = {
  unmet: [],
  may: {
    update: true,
    delete: true,
    takeOwnership: true,
    tasks: true,
    comments: false,
    internalComments: false,
  },
  unmetRights: [],
  lockedFields: [],
  mayCreate: { lines: true },
}

test('the answer has the current step and every open action with its target step', async () => {
  const id = await createRequest()
  const common = { kind: 'proceedToStep', form: null }
  const draft = { key: 'draft', name: 'Draft' }
  const cancelled = { key: 'cancelled', name: 'cancelled' }
  assert.deepEqual(await actionsAs(id), {
    step: { ...draft, final: false },
    data: [
      { key: 'submit', name: 'submit', ...common, to: { key: 'review', name: 'In review' } },
      { key: 'remark', name: 'Leave a remark', ...common, to: draft },
      { key: 'cancel', name: 'cancel', ...common, to: cancelled },
    ],
    ...rights,
  })
  await proceed(id, { action: 'cancel' })
  assert.deepEqual(await actionsAs(id), {
    step: { ...cancelled, final: true },
    data: [],
    ...rights,
  })
})

test('a form lists its fields with the names that a body uses', async () => {
  const { data } = await actionsAs(await createReviewed(), users.approver)
  assert.deepEqual(keysOf(data), ['approve', 'reject', 'price'])
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
  const { data } = await actionsAs(await createReviewed({}, users.buyer), users.buyer)
  assert.deepEqual(keysOf(data), ['approve', 'cancel'])
  assert.deepEqual(
    data[0].form.fields.map(({ column }: { column: string }) => column),
    ['approver_id', 'vendor_id', 'notes', 'code', 'amount'],
  )
  const workflowAs = async (as: string) =>
    (await ask('GET', '/api/entities/request', { as })).json().workflow
  const { steps, forms } = await workflowAs(users.buyer)
  assert.equal(steps.length, 5)
  assert.deepEqual(
    forms.map(({ fields }: { fields: string[] }) => fields.join()),
    ['approver,vendor,notes,code,amount', 'reason,notes', 'amount'],
  )
  assert.deepEqual(forms[2].required, ['amount'])
  assert.deepEqual((await workflowAs(users.approver)).forms[2].required, ['margin', 'amount'])
  assert.equal((await ask('GET', '/api/entities/vendor')).json().workflow, null)
})

test('only actions that the role may take are listed, without the step where that is hidden', async () => {
  const id = await createRequest()
  assert.deepEqual(await keysAs(id, users.approver), [])
  const own = await createRequest({}, users.buyer)
  assert.deepEqual(await keysAs(own, users.buyer), ['submit', 'remark', 'cancel'])
  const { step, data } = await actionsAs(id, users.hides_step)
  assert.deepEqual([step, keysOf(data)], [null, ['submit']])
})

describe('a request that names the kind of an action', () => {
  test('takes the only open action of that kind, with its form', async () => {
    const id = await createReviewed()
    const reply = await proceed(id, { action: 'approveWorkflow', values: { approver_id: 1 } })
    assert.deepEqual([reply.status, reply.json()._step], [200, 'approved'])
    assert.equal((await historyOf(`/request/${id}`))[0].action.key, 'approve')
  })

  test('with several open actions returns 400 with their keys, and the step does not change', async () => {
    const id = await createReviewed()
    const reply = await proceed(id, { action: 'rejectWorkflow', values: { reason: 'x' } })
    assert.deepEqual(issuesOf(reply, 400), [
      'action "rejectWorkflow" is the kind of several open actions: "reject", "cancel"; name one of them',
    ])
    assert.equal((await ask('GET', `/request/${id}`)).json()._step, 'review')
  })

  test('without an open action returns the same error as an action that is not open', async () => {
    const reply = await proceed(await createRequest(), { action: 'approveWorkflow' })
    assert.deepEqual([reply.status, reply.json().code], [409, 'workflow.action-not-open'])
  })

  test('needs the permission for the action itself', async () => {
    const body = { action: 'approveWorkflow', values: { approver_id: 1 } }
    const reply = await proceed(await createReviewed(), body, { as: users.hides_step })
    assert.equal(reply.status, 403)
  })
})

describe('an action of the kind returnToStep', () => {
  const take = (id: number, action: string) =>
    ask('POST', `/offer/${id}/proceedToStep`, { body: { action } })

  /** Creates an offer, takes these actions on it, and returns its id. */
  const createOffer = async (...actions: readonly string[]): Promise<number> => {
    const { id } = (await ask('POST', '/offer', { body: { title: 'Chairs' } })).json()
    for (const action of actions) assert.equal((await take(id, action)).status, 200)
    return id
  }

  for (const [what, expected, ...actions] of [
    ['a record to its previous step', 'draft', 'submit', 'sendBack'],
    ['from a step with two ways to it by the one that was taken', 'draft', 'skip', 'sendBack'],
    ['from it by the other way', 'review', 'submit', 'ask', 'sendBack'],
    ['twice two steps back', 'draft', 'submit', 'ask', 'sendBack', 'sendBack'],
    ['by a later action', 'draft', 'submit', 'sendBack', 'skip', 'sendBack'],
    ['past an action that led to its own step', 'draft', 'submit', 'remark', 'returnToStep'],
  ] as const)
    test(`leads ${what}`, async () => {
      const id = await createOffer(...actions)
      assert.equal((await ask('GET', `/offer/${id}`)).json()._step, expected)
      const [{ action }] = await historyOf(`/offer/${id}`)
      assert.partialDeepStrictEqual(action, { key: 'sendBack', kind: 'returnToStep', to: expected })
    })

  test('has the previous step as its target step', async () => {
    const { data } = await actionsOf(`/offer/${await createOffer('submit', 'ask')}`)
    assert.deepEqual(
      data.map(({ key, to }: { key: string; to: object }) => [key, to]),
      [
        ['close', { key: 'closed', name: 'closed' }],
        ['sendBack', { key: 'review', name: 'In review' }],
      ],
    )
  })

  test('is taken once by two concurrent requests', async () => {
    const id = await createOffer('submit', 'ask', 'close')
    const replies = await Promise.all([1, 2].map(() => take(id, 'reopen')))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409])
  })

  test('leads to a step that was renamed, and is not open if the step was removed', async () => {
    const [inLegal, inReview] = [await createOffer('submit', 'ask'), await createOffer('submit')]
    const removed = await createOffer('skip')
    // What the history holds: the keys that the steps had then.
    await service.database.pool.query(
      `UPDATE docket.history SET action = replace(replace(action::text,
         '"review"', '"checking"'), '"draft"', CASE entity_id WHEN ${removed} THEN '"gone"' ELSE '"draft"' END)::jsonb
       WHERE entity_key = 'offer' AND entity_id IN (${inLegal}, ${inReview}, ${removed}) AND action IS NOT NULL`,
    )
    assert.equal((await take(inLegal, 'sendBack')).json()._step, 'review')
    assert.equal((await take(inReview, 'sendBack')).json()._step, 'draft')
    assert.deepEqual(keysOf((await actionsOf(`/offer/${removed}`)).data), ['close'])
    const refused = await take(removed, 'sendBack')
    assert.deepEqual([refused.status, refused.json().code], [409, 'workflow.action-not-open'])
  })
})
