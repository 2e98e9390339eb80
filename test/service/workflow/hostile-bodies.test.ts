/** Malformed and malicious bodies are rejected with all their issues, and nothing is written. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TestService } from '../../support/service.ts'
import {
  createRequest,
  createReviewed,
  issuesOf,
  proceed,
  startWorkflows,
} from './a-workflow-project.ts'

let service: TestService
let draft: number
let review: number
before(async () => {
  service = await startWorkflows()
  draft = await createRequest(service)
  review = await createReviewed(service)
})
after(() => service.stop())

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
    const reply = await proceed(service, draft, body)
    assert.deepEqual(issuesOf(reply, 400), issues)
    const { data } = (await service.ask('GET', `/request/${draft}/history`)).json()
    assert.equal(data.length, 1)
  })

test('a body that is not JSON returns 400 or 415', async () => {
  const path = `/request/${draft}/proceedToStep`
  assert.equal((await service.ask('POST', path, { body: '{"action"' })).status, 400)
  const headers = { 'Content-Type': 'text/plain' }
  assert.equal((await service.ask('POST', path, { body: 'submit', headers })).status, 415)
})

describe('values that look like SQL or templates', () => {
  for (const reason of [`'; DROP TABLE records.request; --`, '$1', '{{ record }}', '%', '\\'])
    test(`${reason} is stored unchanged`, async () => {
      const id = await createReviewed(service)
      const body = { action: 'reject', values: { reason }, comment: reason }
      const reply = await proceed(service, id, body)
      assert.deepEqual([reply.status, reply.json().reason], [200, reason])
      const { data } = (await service.ask('GET', `/request/${id}/history`)).json()
      assert.equal(data[0].comment, reason)
    })

  test('field names are not executed as SQL', async () => {
    const names = ['reason" = null --', '*', '_version', 'id', '__proto__', 'reason.x']
    const values = JSON.stringify(Object.fromEntries(names.map((name) => [name, 'x'])))
    const body = `{"action":"reject","values":${values}}`
    const paths = issuesOf(await proceed(service, review, body), 400).map(
      (text) => text.split(' is ')[0],
    )
    assert.deepEqual(
      paths,
      [...names, 'reason'].map((name) => `values.${name}`),
    )
  })
})

test('a comment of 10,000 four-byte characters is stored completely', async () => {
  const id = await createRequest(service)
  const comment = '🪑'.repeat(10_000)
  const reply = await proceed(service, id, { action: 'submit', comment })
  assert.equal(reply.status, 200, reply.text.slice(0, 500))
  const { data } = (await service.ask('GET', `/request/${id}/history`)).json()
  assert.equal(data[0].comment, comment)
})
