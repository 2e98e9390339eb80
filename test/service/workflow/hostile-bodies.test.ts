/** Malformed bodies of actions are rejected with all their issues, and nothing is written. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  ask,
  createRequest,
  createReviewed,
  issuesOf,
  proceed,
  shareWorkflows,
} from './a-workflow-project.ts'

let draft: number
shareWorkflows()
before(async () => {
  draft = await createRequest()
})

const bodies: readonly [body: unknown, issues: string[]][] = [
  [undefined, ['must be an object, not nothing']],
  ['null', ['must be an object, not null']],
  ['[]', ['must be an object, not an array']],
  ['"submit"', ['must be an object, not a string']],
  [{}, ['action is required']],
  [
    { Action: 'submit' },
    ['action is required', 'Action is not a property of this body; did you mean "action"?'],
  ],
  [{ action: null }, ['action must be a string, not null']],
  [{ action: ['submit'] }, ['action must be a string, not an array']],
  [{ action: '' }, ['action "" is not an action of this workflow']],
  [{ action: '__proto__' }, ['action "__proto__" is not an action of this workflow']],
  [
    { action: 'submit\0' },
    ['action "submit\\u0000" is not an action of this workflow; did you mean "submit"?'],
  ],
  [{ action: "submit'; --" }, [`action "submit'; --" is not an action of this workflow`]],
  [{ action: 'a'.repeat(9000) }, [`action "${'a'.repeat(39)}…" is not an action of this workflow`]],
  [{ action: 'submit', step: 'approved' }, ['step is not a property of this body']],
  ['{"action":"submit","__proto__":{"a":1}}', ['__proto__ is not a property of this body']],
  [{ action: 'submit', values: null }, ['values must be an object of fields, not null']],
  [{ action: 'submit', values: [] }, ['values must be an object of fields, not an array']],
  [{ action: 'submit', values: 'x' }, ['values must be an object of fields, not a string']],
  [{ action: 'submit', comment: null }, ['comment must be a string, not null']],
  [{ action: 'submit', comment: 5 }, ['comment must be a string, not a number']],
  [{ action: 'submit', comment: '' }, ['comment must not be empty; leave it out instead']],
  [
    { action: 'submit', comment: 'a\0b' },
    ['comment contains the control character NUL at position 1'],
  ],
  [
    { action: 'submit', comment: 'x'.repeat(10_001) },
    ['comment has 10001 characters, at most 10000 are allowed'],
  ],
  [
    '{"action":"submit","comment":"\\ud800"}',
    ['comment contains half of a surrogate pair, which is not a character'],
  ],
  [
    { action: 'sumbit', values: 1, comment: 2, x: 3 },
    [
      'action "sumbit" is not an action of this workflow; did you mean "submit"?',
      'x is not a property of this body',
      'values must be an object of fields, not a number',
      'comment must be a string, not a number',
    ],
  ],
  // A malformed body is reported before an action that is not open.
  [{ action: 'approve', comment: 5 }, ['comment must be a string, not a number']],
]
for (const [body, issues] of bodies)
  test(`${(JSON.stringify(body) ?? 'no body').slice(0, 60)} returns 400`, async () => {
    const reply = await proceed(draft, body)
    assert.deepEqual(issuesOf(reply, 400), issues)
    const { data } = (await ask('GET', `/request/${draft}/history`)).json()
    assert.equal(data.length, 1)
  })

test('a reason and a comment that look like SQL or templates are stored unchanged', async () => {
  const id = await createReviewed()
  const reason = `'; DROP TABLE records.request; -- $1 {{ record }} % \\`
  const reply = await proceed(id, { action: 'reject', values: { reason }, comment: reason })
  assert.deepEqual([reply.status, reply.json().reason], [200, reason])
  const { data } = (await ask('GET', `/request/${id}/history`)).json()
  assert.equal(data[0].comment, reason)
})

test('a comment of 10,000 four-byte characters is stored completely', async () => {
  const id = await createRequest()
  const comment = '🪑'.repeat(10_000)
  const reply = await proceed(id, { action: 'submit', comment })
  assert.equal(reply.status, 200, reply.text.slice(0, 500))
  const { data } = (await ask('GET', `/request/${id}/history`)).json()
  assert.equal(data[0].comment, comment)
})
