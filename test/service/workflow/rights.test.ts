/** A role may take the actions of its `actions` on records that it may read. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  ask,
  createRequest,
  createReviewed,
  type Person,
  proceed,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

shareWorkflows()

type Who = Person | 'administrator'
const asOf = (who: Who) => (who === 'administrator' ? {} : { as: users[who] })

const filled = {
  submit: { action: 'submit' },
  approve: { action: 'approve', values: { approver_id: 1 } },
  reject: { action: 'reject', values: { reason: 'x' } },
  price: { action: 'price', values: { margin: '1', amount: '1' } },
} as const

// Statuses for records of the buyer and for records of other users.
const table: readonly [who: Who, action: keyof typeof filled, own: number, others: number][] = [
  ['administrator', 'submit', 200, 200],
  ['administrator', 'approve', 200, 200],
  ['buyer', 'submit', 200, 404],
  ['buyer', 'approve', 200, 404],
  ['buyer', 'reject', 403, 403],
  ['buyer', 'price', 403, 404],
  ['approver', 'submit', 403, 403],
  ['approver', 'approve', 200, 200],
  ['approver', 'reject', 200, 200],
  ['approver', 'price', 200, 200],
  ['reader', 'submit', 403, 403],
  ['reader', 'approve', 403, 403],
  ['nonreader', 'submit', 404, 404],
  ['nonreader', 'approve', 403, 403],
  ['hides_step', 'submit', 200, 200],
  ['hides_step', 'reject', 200, 200],
]
describe('permission for an action, on readable records', () => {
  for (const [who, action, own, others] of table)
    test(`${who}, ${action}: ${own} for a record of the buyer, ${others} for another record`, async () => {
      const create = action === 'submit' ? createRequest : createReviewed
      for (const [creator, status] of [
        [users.buyer, own],
        [undefined, others],
      ] as const) {
        const id = await create({}, creator)
        const before = (await ask('GET', `/request/${id}`)).json()
        const reply = await proceed(id, filled[action], asOf(who))
        assert.equal(reply.status, status, reply.text)
        if (status !== 200) assert.deepEqual((await ask('GET', `/request/${id}`)).json(), before)
        if (status === 403) assert.ok(reply.json().detail.includes(`"${action}"`), reply.text)
      }
    })
})

test('the message names the missing permission', async () => {
  const id = await createRequest()
  const detail = async (who: Who, body: unknown) =>
    (await proceed(id, body, asOf(who))).json().detail
  assert.equal(
    await detail('approver', { action: 'submit' }),
    'Role "approver" lacks permission for the action "submit" on "request".',
  )
  assert.equal(
    await detail('reader', { action: 'nothing' }),
    'Role "reader" lacks permission for any action on "request".',
  )
})

test('permission is checked before the body and the record', async () => {
  for (const id of [1, 4711, 99999999999])
    for (const body of [{ action: 'submit', more: 1 }, { action: 5 }, '[]', 'null', undefined])
      assert.equal((await proceed(id, body, asOf('reader'))).status, 403)
})

test('an action can write the fields of its form without permission to change the record', async () => {
  const id = await createReviewed()
  const change = { body: { reason: 'x' }, ...asOf('approver') }
  assert.equal((await ask('PATCH', `/request/${id}`, change)).status, 403)
  const reply = await proceed(id, filled.reject, asOf('approver'))
  assert.deepEqual([reply.status, reply.json().reason], [200, 'x'])
})

test('the message does not name the step to a role that it is hidden from', async () => {
  const id = await createReviewed()
  const refused = await proceed(id, filled.submit, asOf('hides_step'))
  assert.deepEqual(
    [refused.status, refused.json().detail],
    [409, `The action "submit" is not open for request ${id} now.`],
  )
  const taken = await proceed(id, filled.reject, asOf('hides_step'))
  assert.deepEqual([taken.status, '_step' in taken.json()], [200, false])
})
