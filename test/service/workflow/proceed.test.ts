/** proceedToStep takes an open action that the role may take, once, and returns the record in its new step. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { issuesOf } from '../../support/a-project.ts'
import type { Reply } from '../../support/service.ts'
import {
  ask,
  createRequest,
  createReviewed,
  historyOf,
  type Person,
  proceed,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

shareWorkflows()

const errorOf = (reply: Reply) => {
  const { code, detail } = reply.json()
  return [reply.status, code, detail]
}
const outcomes = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort()
const read = async (id: number) => (await ask('GET', `/request/${id}`)).json()

const filled = {
  submit: { action: 'submit' },
  approve: { action: 'approve', values: { approver_id: 1 } },
  reject: { action: 'reject', values: { reason: 'x' } },
  price: { action: 'price', values: { margin: '1', amount: '1' } },
} as const

describe('an open action', () => {
  test('returns the record in its new step, with its new ETag, until the final step', async () => {
    const id = await createRequest()
    const reply = await proceed(id, filled.submit)
    assert.deepEqual([reply.status, reply.json()._step], [200, 'review'])
    const seen = await ask('GET', `/request/${id}`)
    assert.deepEqual(reply.json(), seen.json())
    for (const one of [reply, seen]) assert.equal(one.headers.get('etag'), '"2"')
    assert.equal((await proceed(id, filled.approve)).json()._step, 'approved')
    assert.deepEqual(errorOf(await proceed(id, filled.submit)), [
      409,
      'workflow.action-not-open',
      `The action "submit" is not open in the step "approved" of request ${id}; open there: nothing.`,
    ])
  })

  test('is found in the current step when two steps have an action with the same key', async () => {
    const draft = await createRequest()
    assert.equal((await proceed(draft, { action: 'cancel' })).json()._step, 'cancelled')
    const body = { action: 'cancel', values: { reason: 'Late' } }
    assert.equal((await proceed(await createReviewed(), body)).json()._step, 'rejected')
  })

  test('writes the fields of its form without permission to change the record', async () => {
    const id = await createReviewed()
    const as = users.approver
    assert.equal((await ask('PATCH', `/request/${id}`, { body: { reason: 'x' }, as })).status, 403)
    const reply = await proceed(id, filled.reject, { as })
    assert.deepEqual([reply.status, reply.json().reason], [200, 'x'])
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

  test('returns 409 without the step to a role that it is hidden from', async () => {
    const [id, as] = [await createReviewed(), users.hides_step]
    assert.deepEqual(errorOf(await proceed(id, filled.submit, { as })), [
      409,
      'workflow.action-not-open',
      `The action "submit" is not open for request ${id} now.`,
    ])
    const taken = await proceed(id, filled.reject, { as })
    assert.deepEqual([taken.status, '_step' in taken.json()], [200, false])
  })

  test('returns 404 when the entity has no workflow', async () => {
    for (const [path, body] of [
      ['/vendor/1/proceedToStep', { action: 'submit' }],
      ['/vendor/actions', { ids: [1] }],
    ] as const)
      assert.deepEqual(errorOf(await ask('POST', path, { body })), [
        404,
        'request.no-such-path',
        'Records of vendor have no workflow.',
      ])
  })

  test('returns 409 on the action when another record is in the target step and must be unique', async () => {
    const create = async (): Promise<number> =>
      (await ask('POST', '/slot', { body: { place: 'A1' } })).json().id
    const take = (id: number) =>
      ask('POST', `/slot/${id}/proceedToStep`, { body: { action: 'take' } })
    assert.equal((await take(await create())).status, 200)
    const second = await create()
    assert.deepEqual(issuesOf(await take(second), 409), [
      'action another slot has the same combination of place, _step; it must be unique',
    ])
    assert.equal((await ask('GET', `/slot/${second}`)).json()._step, 'open')
    assert.equal((await historyOf(`/slot/${second}`)).length, 1)
  })
})

describe('the permission for an action', () => {
  // Statuses for records of the buyer and for records of other users.
  const table: readonly [who: Person, action: keyof typeof filled, own: number, others: number][] =
    [
      ['buyer', 'submit', 200, 404],
      ['buyer', 'approve', 200, 404],
      ['buyer', 'reject', 403, 403],
      ['buyer', 'price', 403, 404],
      ['approver', 'submit', 403, 403],
      ['approver', 'approve', 200, 200],
      ['reader', 'submit', 403, 403],
      ['nonreader', 'submit', 404, 404],
      ['nonreader', 'approve', 403, 403],
      ['hides_step', 'submit', 200, 200],
    ]
  for (const [who, action, own, others] of table)
    test(`of ${who}, ${action}: ${own} for a record of the buyer, ${others} for another record`, async () => {
      const create = action === 'submit' ? createRequest : createReviewed
      for (const [creator, status] of [
        [users.buyer, own],
        [undefined, others],
      ] as const) {
        const id = await create({}, creator)
        const before = await read(id)
        const reply = await proceed(id, filled[action], { as: users[who] })
        assert.equal(reply.status, status, reply.text)
        if (status !== 200) assert.deepEqual(await read(id), before)
        if (status === 403) assert.ok(reply.json().detail.includes(`"${action}"`), reply.text)
      }
    })

  test('is named when it is missing, before the body and the record are looked at', async () => {
    for (const id of [await createRequest(), 99999999999])
      for (const [body, lacked] of [
        [{ action: 'submit', more: 1 }, 'the action "submit"'],
        [{ action: 'nothing' }, 'any action'],
        [{ action: 5 }, 'any action'],
        ['[]', 'any action'],
        ['null', 'any action'],
        [undefined, 'any action'],
      ] as const)
        assert.deepEqual(errorOf(await proceed(id, body, { as: users.reader })), [
          403,
          'caller.forbidden',
          `Role "reader" lacks permission for ${lacked} on "request".`,
        ])
  })
})

describe('an action on many records', () => {
  type Outcome = { id: number; status: string; code: string | null; errors: { path: string }[] }
  const act = (body: object, as?: string) => ask('POST', '/request/bulk', { body, as })
  const shortly = (reply: Reply) =>
    reply
      .json()
      .data.map(({ status, code }: Outcome) => (code === null ? status : `${status} ${code}`))

  test('is taken on each in whose step it is open, with values and comment', async () => {
    const ids = [await createReviewed(), await createRequest(), await createReviewed()]
    const body = { ids, do: { ...filled.reject, comment: 'See above' } }
    for (const dryRun of [true, false])
      assert.deepEqual(shortly(await act({ ...body, dryRun }, users.approver)), [
        ...['done', 'refused workflow.action-not-open', 'done'],
      ])
    const [{ action, comment }] = await historyOf(`/request/${ids[2]}`)
    assert.deepEqual([action.key, action.to, comment], ['reject', 'rejected', 'See above'])
    assert.equal((await read(ids[1] ?? 0))._step, 'draft')
    assert.equal((await read(ids[0] ?? 0)).reason, 'x')
  })

  test('needs what its form requires for each record, whose own value counts', async () => {
    const ids = [await createReviewed({ reason: 'Known' }), await createReviewed()]
    const reply = await act({ ids, do: { action: 'reject' } })
    assert.deepEqual(shortly(reply), ['done', 'refused record.invalid'])
    const missing = [{ path: 'values.reason', message: 'is required' }]
    assert.deepEqual(reply.json().data[1].errors, missing)
  })

  test('needs its permission, and is rejected if it is unknown or has an empty comment', async () => {
    const ids = [await createReviewed()]
    assert.equal((await act({ ids, do: { action: 'submit' } }, users.approver)).status, 403)
    for (const as of [users.reader, users.nonreader])
      assert.equal((await act({ ids, do: { action: 'approve' } }, as)).status, 403)
    assert.deepEqual(issuesOf(await act({ ids, do: { action: 'aprove', comment: '' } }), 400), [
      'do.action "aprove" is not an action of this workflow; did you mean "approve"?',
      'do.comment must not be empty; leave it out instead',
    ])
  })

  test('that criteria find leaves none of them', async () => {
    for (let made = 0; made < 3; made++) await createReviewed({ notes: 'many' })
    const body = { criteria: { $where: { notes: 'many' } }, do: filled.approve }
    assert.deepEqual((await act(body)).json().counts, { done: 3, unchanged: 0, refused: 0 })
    assert.deepEqual((await act(body)).json().counts, { done: 0, unchanged: 0, refused: 3 })
  })
})

describe('the history', () => {
  test('has the action, its comment and every changed field', async () => {
    const id = await createReviewed({ notes: 'Old' })
    const values = { reason: 'Too\tmany\nchairs 🪑', notes: null }
    const comment = 'We\nhave some.'
    const reply = await proceed(id, { action: 'reject', values, comment }, { as: users.approver })
    assert.equal(reply.status, 200, reply.text)
    const [entry, submitted, created] = await historyOf(`/request/${id}`)
    const { id: _id, user, ...entryValues } = entry
    assert.equal(user.full_name, 'approver Example')
    assert.deepEqual(entryValues, {
      at: reply.json()._updated_at,
      acting_user: null,
      task_id: null,
      part: null,
      comment,
      operation: 'proceedToStep',
      changes: {
        reason: { before: null, after: 'Too\tmany\nchairs 🪑' },
        notes: { before: 'Old', after: null },
        _step: { before: 'review', after: 'rejected' },
      },
      users: [],
      action: { key: 'reject', kind: 'rejectWorkflow', from: 'review', to: 'rejected' },
    })
    assert.deepEqual(
      [submitted.action, submitted.comment],
      [{ key: 'submit', kind: 'proceedToStep', from: 'draft', to: 'review' }, null],
    )
    assert.deepEqual([created.operation, created.action], ['create', null])
  })

  test('has an action that leads back to its own step, though no field changed', async () => {
    const id = await createRequest()
    const reply = await proceed(id, { action: 'remark', comment: 'Seen.' })
    assert.deepEqual(
      [reply.status, reply.json()._step, reply.headers.get('etag')],
      [200, 'draft', '"1"'],
    )
    assert.partialDeepStrictEqual((await historyOf(`/request/${id}`))[0], {
      changes: {},
      comment: 'Seen.',
      action: { key: 'remark', kind: 'proceedToStep', from: 'draft', to: 'draft' },
    })
  })

  test('has no entry for a rejected action', async () => {
    const id = await createReviewed()
    await proceed(id, filled.submit)
    await proceed(id, { action: 'approve', values: { approver_id: 4711 } })
    assert.equal((await historyOf(`/request/${id}`)).length, 2)
  })

  test('leaves out fields and steps that the role hides', async () => {
    const id = await createReviewed({}, users.buyer)
    await proceed(id, filled.price, { as: users.approver })
    const [entry] = await historyOf(`/request/${id}`, { as: users.buyer })
    assert.deepEqual([Object.keys(entry.changes), entry.action.key], [['amount'], 'price'])
    const [hidden] = await historyOf(`/request/${id}`, { as: users.hides_step })
    assert.equal(hidden.action, null)
  })
})

describe('at the same time', () => {
  test('of two actions one succeeds and the other returns 409', async () => {
    for (let round = 0; round < 4; round++) {
      const id = await createReviewed()
      const replies = await Promise.all([
        proceed(id, filled.approve),
        proceed(id, filled.reject, { as: users.approver }),
      ])
      assert.deepEqual(outcomes(replies), [200, 409])
      const record = await read(id)
      assert.deepEqual(record, replies.find(({ status }) => status === 200)?.json())
      const rejected = replies.find(({ status }) => status === 409)?.json()
      assert.equal(rejected.code, 'workflow.action-not-open')
      // The record has no values of the rejected action.
      assert.equal(record.approver_id === null, record._step === 'rejected')
      assert.equal(record.reason === null, record._step === 'approved')
      assert.equal((await historyOf(`/request/${id}`)).length, 3)
    }
  })

  test('actions that lead back to the same step all succeed', async () => {
    const id = await createRequest()
    const comments = ['1', '2', '3', '4', '5']
    const replies = await Promise.all(
      comments.map((comment) => proceed(id, { action: 'remark', comment })),
    )
    assert.deepEqual(new Set(outcomes(replies)), new Set([200]))
    const entries = await historyOf(`/request/${id}`)
    const stored = entries.map(({ comment }: { comment: string | null }) => comment)
    assert.deepEqual(new Set(stored), new Set([...comments, null]))
  })
})
