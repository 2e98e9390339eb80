/** What an action's form takes: its fields only, checked as in any write, all issues at once. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
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

const stepOf = async (id: number) => (await ask('GET', `/request/${id}`)).json()._step

const refused: readonly [what: string, body: object, status: number, issues: string[]][] = [
  [
    'a field that is in no form',
    { action: 'reject', values: { reason: 'x', resaon: 'y' } },
    400,
    ['values.resaon is not a field of the form "reject"; did you mean "reason"?'],
  ],
  [
    'a field of the entity that is not in this form, a system field, and a name of JavaScript',
    { action: 'reject', values: { reason: 'x', title: 'y', _step: 'draft', constructor: 1 } },
    400,
    [
      'values.title is not a field of the form "reject"',
      'values._step is not a field of the form "reject"',
      'values.constructor is not a field of the form "reject"',
    ],
  ],
  [
    'an association by its key',
    { action: 'approve', values: { approver: 1 } },
    400,
    [
      'values.approver is an association; set "approver_id" to the id of a user',
      'values.approver_id is required',
    ],
  ],
  ['nothing where something is required', { action: 'reject' }, 422, ['values.reason is required']],
  [
    'null where something is required',
    { action: 'reject', values: { reason: null } },
    422,
    ['values.reason is required'],
  ],
  [
    'an empty text where something is required',
    { action: 'reject', values: { reason: '' } },
    422,
    ['values.reason is required'],
  ],
  [
    'values of wrong types, and rules that are broken',
    { action: 'approve', values: { approver_id: '1', amount: '-1', notes: 5 } },
    400,
    [
      'values.approver_id must be a whole number, not a string',
      'values.amount must be at least 0',
      'values.notes must be a string, not a number',
    ],
  ],
  [
    'a record that is not there',
    { action: 'approve', values: { approver_id: 4711, vendor_id: 4712, amount: '1.005' } },
    422,
    [
      'values.amount has more than 2 digits after the point',
      'values.approver_id there is no user 4711 that you may read',
      'values.vendor_id there is no vendor 4712 that you may read',
    ],
  ],
  [
    'what is wrong beside the values too',
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
for (const [what, body, status, issues] of refused)
  test(`${what}: ${status}`, async () => {
    const id = await createReviewed(service)
    assert.deepEqual(issuesOf(await proceed(service, id, body), status), issues)
    assert.equal(await stepOf(id), 'review')
  })

test('an action without a form takes no values', async () => {
  const id = await createRequest(service)
  const values = { notes: 'x', nothing: 1 }
  assert.deepEqual(issuesOf(await proceed(service, id, { action: 'submit', values }), 400), [
    'values.notes is not taken: "submit" has no form to fill in',
    'values.nothing is not taken: "submit" has no form to fill in',
  ])
  assert.equal((await proceed(service, id, { action: 'submit', values: {} })).status, 200)
})

test('a unique value that is taken is a 409 at its place', async () => {
  await createRequest(service, { code: 'TAKEN' })
  const id = await createReviewed(service)
  const values = { approver_id: 1, code: 'TAKEN' }
  assert.deepEqual(issuesOf(await proceed(service, id, { action: 'approve', values }), 409), [
    'values.code is taken by another request; it must be unique',
  ])
  assert.equal(await stepOf(id), 'review')
})

describe('a required field that the record holds already', () => {
  test('counts as filled in', async () => {
    const id = await createReviewed(service, { reason: 'Known' })
    const reply = await proceed(service, id, { action: 'reject' })
    assert.deepEqual([reply.status, reply.json().reason], [200, 'Known'])
  })

  test('does not when it is an empty text', async () => {
    const id = await createReviewed(service, { reason: '' })
    assert.deepEqual(issuesOf(await proceed(service, id, { action: 'reject' }), 422), [
      'values.reason is required',
    ])
  })

  test('cannot be emptied by the same action', async () => {
    const id = await createReviewed(service, { reason: 'Known' })
    const body = { action: 'reject', values: { reason: null } }
    assert.deepEqual(issuesOf(await proceed(service, id, body), 422), ['values.reason is required'])
  })

  test('may link to a record that went away since', async () => {
    const { id: vendor } = (await ask('POST', '/vendor', { body: { name: 'Gone' } })).json()
    const id = await createReviewed(service, { vendor_id: vendor })
    await ask('DELETE', `/vendor/${vendor}`)
    const values = { approver_id: 1, vendor_id: vendor }
    assert.equal((await proceed(service, id, { action: 'approve', values })).status, 200)
  })
})

describe('hidden fields', () => {
  test('are as unknown ones, word for word', async () => {
    const id = await createReviewed(service, {}, people.buyer)
    const issues = async (name: string) => {
      const values = { approver_id: 1, [name]: '1' }
      return issuesOf(
        await proceed(service, id, { action: 'approve', values }, { as: people.buyer }),
        400,
      )
    }
    assert.deepEqual(await issues('margin'), ['values.margin is not a field of the form "approve"'])
    assert.deepEqual(await issues('morgin'), ['values.morgin is not a field of the form "approve"'])
    const values = { approver_id: 1 }
    const reply = await proceed(service, id, { action: 'approve', values }, { as: people.buyer })
    assert.deepEqual([reply.status, 'margin' in reply.json()], [200, false])
  })

  test('that a form requires make the action a 403, whatever is sent', async () => {
    const id = await createReviewed(service, {}, people.buyer)
    await ask('PATCH', `/request/${id}`, { body: { margin: '2', amount: '1' } })
    for (const values of [{}, { margin: '1', amount: '1' }]) {
      const body = { action: 'price', values }
      const reply = await proceed(service, id, body, { as: people.buyer })
      assert.deepEqual([reply.status, reply.json().code], [403, 'caller.forbidden'])
      assert.doesNotMatch(reply.text, /margin/)
    }
    // Who sees it need not send it again.
    assert.equal((await proceed(service, id, { action: 'price' })).status, 200)
  })

  test('a link that the role may not read is as absent as one that is not there', async () => {
    const { id: vendor } = (await ask('POST', '/vendor', { body: { name: 'Secret' } })).json()
    const id = await createReviewed(service, {}, people.buyer)
    const issues = async (vendorId: number) => {
      const body = { action: 'approve', values: { approver_id: 1, vendor_id: vendorId } }
      const reply = await proceed(service, id, body, { as: people.buyer })
      return issuesOf(reply, 422).map((text) => text.replace(`${vendorId}`, 'n'))
    }
    assert.deepEqual(await issues(vendor), await issues(4711))
  })
})
