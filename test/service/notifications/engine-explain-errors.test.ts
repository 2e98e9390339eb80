/** POST /api/notifications/explain: rejected requests. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Engine, startEngine } from './an-engine.ts'

const path = '/api/notifications/explain'

let engine: Engine
before(async () => {
  engine = await startEngine([
    { operation: 'takeOwnership', recipient: { userFields: ['approver'] } },
  ])
})
after(() => engine.stop())

const valid = { entityKey: 'request', entityId: 1, operation: 'proceedToStep', action: 'submit' }
const invalid: readonly (readonly [body: unknown, paths: readonly string[]])[] = [
  [{}, ['entityKey', 'entityId', 'operation']],
  [[], ['']],
  ['"text"', ['']],
  [{ ...valid, entityKey: 7 }, ['entityKey']],
  [
    { entityKey: 1, entityId: 0, operation: 'remove', x: 1 },
    ['x', 'entityKey', 'entityId', 'operation'],
  ],
  ...[0, -1, 1.5, '1', 2_147_483_648, null].map(
    (entityId) => [{ ...valid, entityId }, ['entityId']] as const,
  ),
  [{ ...valid, operation: 'update' }, ['operation']],
  [{ ...valid, action: undefined }, ['action']],
  [{ ...valid, action: 7 }, ['action']],
  [{ ...valid, operation: 'create' }, ['action']],
  [{ ...valid, actoin: 'x', user: 1 }, ['actoin', 'user']],
  [{ ...valid, userId: 0, actorId: '1' }, ['actorId', 'userId']],
  [{ ...valid, action: 'submti' }, ['action']],
  [{ __proto__: null, constructor: 1, ...valid }, ['constructor']],
]
for (const [body, paths] of invalid)
  test(`${JSON.stringify(body)} returns 400`, async () => {
    await engine.create()
    const reply = await engine.ask('POST', path, { body })
    assert.equal(reply.status, 400, reply.text)
    assert.deepEqual(
      reply.json().errors.map((issue: { path: string }) => issue.path),
      paths,
    )
  })

test('a similar name is suggested for an unknown one', async () => {
  const reply = await engine.ask('POST', path, { body: { ...valid, action: 'submti', acton: 1 } })
  assert.match(reply.text, /did you mean \\"action\\"/)
  const second = await engine.ask('POST', path, { body: { ...valid, action: 'submti' } })
  assert.match(second.text, /did you mean \\"submit\\"/)
})

const rejected: readonly [what: string, options: object, status: number][] = [
  ['no caller', { body: valid, as: null }, 401],
  ['a caller who is not an administrator', { body: valid, as: 'anna@example.com' }, 403],
  ['an unknown entity', { body: { ...valid, entityKey: 'reqeust' } }, 404],
  ['an unknown record', { body: { ...valid, entityId: 2_000_000_000 } }, 404],
  ['a body that is not JSON', { body: '{' }, 400],
  ['a text body', { body: 'x', headers: { 'Content-Type': 'text/plain' } }, 415],
]
for (const [what, options, status] of rejected)
  test(`${what} returns ${status}`, async () => {
    assert.equal((await engine.ask('POST', path, options)).status, status)
  })

test('a query parameter returns 400', async () => {
  assert.equal((await engine.ask('POST', `${path}?dry=1`, { body: valid })).status, 400)
})
