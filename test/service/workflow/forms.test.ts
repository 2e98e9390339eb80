/** The form of an action accepts only its fields, checks them like any write, and reports all issues together. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
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

const stepOf = async (id: number) => (await ask('GET', `/request/${id}`)).json()._step

const rejected: readonly [what: string, body: object, status: number, issues: string[]][] = [
  [
    'an unknown field',
    { action: 'reject', values: { reason: 'x', resaon: 'y' } },
    400,
    ['values.resaon is not a field of the form "reject"; did you mean "reason"?'],
  ],
  [
    'a field that is not in the form, a system field and a JavaScript property name',
    { action: 'reject', values: { reason: 'x', title: 'y', _step: 'draft', constructor: 1 } },
    400,
    [
      'values.title is not a field of the form "reject"',
      'values._step is not a field of the form "reject"',
      'values.constructor is not a field of the form "reject"',
    ],
  ],
  [
    'an association without _id',
    { action: 'approve', values: { approver: 1 } },
    400,
    [
      'values.approver is an association; set "approver_id" to the id of a record',
      'values.approver_id is required',
    ],
  ],
  ['a missing required field', { action: 'reject' }, 422, ['values.reason is required']],
  [
    'null in a required field',
    { action: 'reject', values: { reason: null } },
    422,
    ['values.reason is required'],
  ],
  [
    'an empty text in a required field',
    { action: 'reject', values: { reason: '' } },
    422,
    ['values.reason is required'],
  ],
  [
    'values of wrong types or outside of their limits',
    { action: 'approve', values: { approver_id: '1', amount: '-1', notes: 5 } },
    400,
    [
      'values.approver_id must be a whole number, not a string',
      'values.amount must be at least 0',
      'values.notes must be a string, not a number',
    ],
  ],
  [
    'links to missing records',
    { action: 'approve', values: { approver_id: 4711, vendor_id: 4712, amount: '1.005' } },
    422,
    [
      'values.amount has more than 2 digits after the point',
      'values.approver_id there is no user 4711 that you may read',
      'values.vendor_id there is no vendor 4712 that you may read',
    ],
  ],
  [
    'issues inside and outside of the values',
    { action: 'reject', values: { note: 'x' }, comment: '', coment: 'y' },
    400,
    [
      'coment is not a property of this body; did you mean "comment"?',
      'comment must not be empty; leave it out instead',
      'values.note is not a field of the form "reject"; did you mean "notes"?',
      'values.reason is required',
    ],
  ],
]
for (const [what, body, status, issues] of rejected)
  test(`${what}: returns ${status}`, async () => {
    const id = await createReviewed()
    assert.deepEqual(issuesOf(await proceed(id, body), status), issues)
    assert.equal(await stepOf(id), 'review')
  })

test('an action without a form rejects values', async () => {
  const id = await createRequest()
  const values = { notes: 'x', nothing: 1 }
  assert.deepEqual(issuesOf(await proceed(id, { action: 'submit', values }), 400), [
    'values.notes is not accepted: "submit" has no form to fill in',
    'values.nothing is not accepted: "submit" has no form to fill in',
  ])
  assert.equal((await proceed(id, { action: 'submit', values: {} })).status, 200)
})

test('a unique value of another record returns 409 with its path', async () => {
  await createRequest({ code: 'TAKEN' })
  const id = await createReviewed()
  const values = { approver_id: 1, code: 'TAKEN' }
  assert.deepEqual(issuesOf(await proceed(id, { action: 'approve', values }), 409), [
    'values.code is already used by another request; it must be unique',
  ])
  assert.equal(await stepOf(id), 'review')
})

describe('a required field that the record already has', () => {
  test('does not have to be sent', async () => {
    const id = await createReviewed({ reason: 'Known' })
    const reply = await proceed(id, { action: 'reject' })
    assert.deepEqual([reply.status, reply.json().reason], [200, 'Known'])
  })

  test('has to be sent when its value is an empty text', async () => {
    const id = await createReviewed({ reason: '' })
    assert.deepEqual(issuesOf(await proceed(id, { action: 'reject' }), 422), [
      'values.reason is required',
    ])
  })

  test('cannot be emptied by the same action', async () => {
    const id = await createReviewed({ reason: 'Known' })
    const body = { action: 'reject', values: { reason: null } }
    assert.deepEqual(issuesOf(await proceed(id, body), 422), ['values.reason is required'])
  })

  test('may link to a record that has been removed', async () => {
    const { id: vendor } = (await ask('POST', '/vendor', { body: { name: 'Gone' } })).json()
    const id = await createReviewed({ vendor_id: vendor })
    await ask('DELETE', `/vendor/${vendor}`)
    const values = { approver_id: 1, vendor_id: vendor }
    assert.equal((await proceed(id, { action: 'approve', values })).status, 200)
  })
})

describe('hidden fields', () => {
  test('that a form requires make the action return 403, whatever is sent', async () => {
    const id = await createReviewed({}, users.buyer)
    await ask('PATCH', `/request/${id}`, { body: { margin: '2', amount: '1' } })
    for (const values of [{}, { margin: '1', amount: '1' }]) {
      const body = { action: 'price', values }
      const reply = await proceed(id, body, { as: users.buyer })
      assert.deepEqual([reply.status, reply.json().code], [403, 'caller.forbidden'])
      assert.doesNotMatch(reply.text, /margin/)
    }
    // A caller who reads the field does not have to send it.
    assert.equal((await proceed(id, { action: 'price' })).status, 200)
  })

  test('a link that the role may not read returns the same error as a missing record', async () => {
    const { id: vendor } = (await ask('POST', '/vendor', { body: { name: 'Secret' } })).json()
    const id = await createReviewed({}, users.buyer)
    const issues = async (vendorId: number) => {
      const body = { action: 'approve', values: { approver_id: 1, vendor_id: vendorId } }
      const reply = await proceed(id, body, { as: users.buyer })
      return issuesOf(reply, 422).map((text) => text.replace(`${vendorId}`, 'n'))
    }
    assert.deepEqual(await issues(vendor), await issues(4711))
  })
})
