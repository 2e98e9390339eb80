/** Workflow actions on many records in one request. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ask,
  createRequest,
  createReviewed,
  issuesOf,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

shareWorkflows()

type Outcome = { id: number; status: string; code: string | null; errors: { path: string }[] }

const act = (body: object, as?: string) => ask('POST', '/request/bulk', { body, ...(as && { as }) })
const shortly = (data: Outcome[]) =>
  data.map(({ status, code }) => (code === null ? status : `${status} ${code}`))

test('an action is taken on each record in whose step it is open, with values and comment', async () => {
  const ids = [await createReviewed(), await createRequest(), await createReviewed()]
  const wanted = { action: 'reject', values: { reason: 'Too late' }, comment: 'See above' }
  const dry = await act({ ids, do: wanted, dryRun: true }, users.approver)
  const reply = await act({ ids, do: wanted }, users.approver)
  for (const one of [dry, reply])
    assert.deepEqual(shortly(one.json().data), ['done', 'refused workflow.action-not-open', 'done'])
  const [entry] = (await ask('GET', `/request/${ids[2]}/history`)).json().data
  assert.deepEqual(
    [entry.action.key, entry.action.to, entry.comment],
    ['reject', 'rejected', 'See above'],
  )
  assert.equal((await ask('GET', `/request/${ids[1]}`)).json()._step, 'draft')
  assert.equal((await ask('GET', `/request/${ids[0]}`)).json().reason, 'Too late')
})

test('what a form requires is checked for each record, whose own value counts', async () => {
  const ids = [await createReviewed({ reason: 'Known' }), await createReviewed()]
  const { data } = (await act({ ids, do: { action: 'reject' } })).json()
  assert.deepEqual(shortly(data), ['done', 'refused record.invalid'])
  assert.deepEqual(data[1].errors, [{ path: 'values.reason', message: 'is required' }])
})

test('permission for the action is needed, and an unknown action or comment is rejected', async () => {
  const ids = [await createReviewed()]
  assert.equal((await act({ ids, do: { action: 'submit' } }, users.approver)).status, 403)
  assert.equal((await act({ ids, do: { action: 'approve' } }, users.reader)).status, 403)
  assert.equal((await act({ ids, do: { action: 'approve' } }, users.nonreader)).status, 403)
  assert.deepEqual(issuesOf(await act({ ids, do: { action: 'aprove' } }), 400), [
    'do.action "aprove" is not an action of this workflow; did you mean "approve"?',
  ])
  assert.deepEqual(issuesOf(await act({ ids, do: { action: 'approve', comment: '' } }), 400), [
    'do.comment must not be empty; leave it out instead',
  ])
})

test('ten approvals by criteria leave nothing that waits', async () => {
  for (let made = 0; made < 10; made++) await createReviewed({ notes: 'many' })
  const criteria = { $where: { notes: 'many' } }
  const body = { criteria, do: { action: 'approve', values: { approver_id: 1 } } }
  const reply = await act(body)
  assert.deepEqual(reply.json().counts, { done: 10, unchanged: 0, refused: 0 })
  assert.deepEqual((await act(body)).json().counts, { done: 0, unchanged: 0, refused: 10 })
})
