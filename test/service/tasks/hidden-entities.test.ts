/** Task paths answer the same for an entity without permissions as for an entity that does not exist. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ask, createRecord, ids, shareTasks, users } from './a-task-project.ts'

let mine: number
shareTasks()
before(async () => {
  // One task of another user, whose paths are requested below, and one task of the caller.
  for (const assigne_id of [1, ids.nobody]) {
    const body = { description: 'Look', assigne_id }
    mine = await createRecord('secret')
    const reply = await ask('POST', `/secret/${mine}/task`, { body })
    assert.equal(reply.status, 201, reply.text)
  }
})

type Request = readonly [
  method: string,
  path: string,
  options?: { readonly body?: unknown; readonly headers?: Record<string, string> },
]

const requestsOf = (entity: string, id: string): readonly Request[] => [
  ['GET', `/${entity}/${id}/task`],
  ['POST', `/${entity}/${id}/task?x=1`, { body: [] }],
  ['PUT', `/${entity}/${id}/1`, { body: { nothing: 1, id: 7 } }],
  ['DELETE', `/${entity}/${id}/1/`],
]

const paths = (entity: string): readonly Request[] => [
  ...['1', '2147483647', '99999999999', '0', '-1', '1.5', 'x', '%00'].flatMap((id) =>
    requestsOf(entity, id),
  ),
  ['HEAD', `/${entity}/1/task`],
  ['GET', `/${entity}/1/task?x=1`],
  ['POST', `/${entity}/1/task`, { body: { description: 'x' } }],
  ['POST', `/${entity}/1/task`, { body: { nothing: 1 } }],
  ['PUT', `/${entity}/1/1`, { body: { is_completed: true } }],
  ['PUT', `/${entity}/1/1`, { body: [1] }],
  ['PUT', `/${entity}/1/1?x=1`, { body: {} }],
  ['DELETE', `/${entity}/1/1`],
  ['POST', `/${entity}/1/task`, { body: {}, headers: { 'Idempotency-Key': 'a b' } }],
  ['POST', `/${entity}/1/task`, { body: {}, headers: { 'Idempotency-Key': 'one' } }],
  ['POST', `/${entity}/1/task`, { body: { related_entities: [{ key: entity, entity_id: 1 }] } }],
  ['PUT', `/${entity}/1/1`, { body: {}, headers: { 'If-Match': 'no tag' } }],
  ['PUT', `/${entity}/1/1`, { body: { is_completed: true }, headers: { 'If-Match': '"9"' } }],
  ['DELETE', `/${entity}/1/1`, { headers: { 'If-Match': 'no tag' } }],
  ['DELETE', `/${entity}/1/1`, { body: { x: 1 } }],
  ...['0', '99999999999'].flatMap((task): Request[] => [
    ['PUT', `/${entity}/1/${task}`, { body: {} }],
    ['DELETE', `/${entity}/1/${task}`],
  ]),
]
const own = (entity: string): readonly Request[] =>
  ['', '/count'].flatMap((path): Request[] => [
    ['GET', `/api/tasks${path}?entity=${entity}`],
    ['GET', `/api/tasks${path}?entity=${entity}&x=1`],
    ['GET', `/api/tasks${path}?entity=${entity}&assignee=1`],
    ['GET', `/api/tasks${path}?entity=${entity}&assignee=99999999999`],
    ['GET', `/api/tasks${path}?entity=${entity}&assignee=x`],
    ['GET', `/api/tasks${path}?entity=${entity}&timeZone=x`],
  ])

/** The response without the entity key and the request id. */
const responseOf = async (entity: string, [method, path, options = {}]: Request, as: string) => {
  const reply = await ask(method, path, { ...options, as })
  const { requestId: _, ...rest } = method === 'HEAD' ? { requestId: '' } : reply.json()
  const headers = [...reply.headers].filter(([name]) => !/^(date|x-request-id)$/.test(name))
  return JSON.stringify([reply.status, rest, headers.map(([name]) => name)]).replaceAll(entity, '…')
}

// As long as the other key, so that the content lengths are equal.
const absent = 'sesame'
for (const as of [users.worker, users.reader])
  test(`every request by ${as} is answered like one for an entity that does not exist`, async () => {
    const others = [...paths(absent), ...own(absent)]
    for (const [index, request] of [...paths('secret'), ...own('secret')].entries()) {
      const other = others[index]
      assert.ok(other)
      const answer = await responseOf('secret', request, as)
      assert.equal(answer, await responseOf(absent, other, as), JSON.stringify(request))
      if (request[1].startsWith('/secret')) assert.match(answer, /^\[404,/)
    }
  })

test('an assignee can read their task, but no other record of its entity', async () => {
  const as = users.nobody
  assert.equal((await ask('GET', `/secret/${mine}/task`, { as })).json().length, 1)
  for (const path of ['/api/tasks?entity=secret', '/api/tasks/count?entity=secret'])
    assert.equal((await ask('GET', path, { as })).status, 200)
  assert.equal((await ask('GET', `/secret/${mine}/task?x=1`, { as })).status, 400)
  const request: Request = ['GET', '/secret/1/task?x=1']
  const other: Request = ['GET', `/${absent}/1/task?x=1`]
  assert.equal(await responseOf('secret', request, as), await responseOf(absent, other, as))
})
