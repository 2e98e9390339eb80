/** Creates that are sent again: one record and one response per key, user and request. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  addOwnUser,
  createAs,
  invalidPaths,
  nextNumber,
  sharedProject,
  users,
} from '../../support/a-project.ts'
import type { Reply } from '../../support/service.ts'

const service = await sharedProject()
const { ask } = service

const post = (
  key: string,
  body: unknown,
  { as, path = '/order' }: { as?: string; path?: string } = {},
) =>
  ask('POST', path, { body, headers: { 'Idempotency-Key': key }, ...(as !== undefined && { as }) })

const isReplayed = ({ headers }: Reply) => headers.get('idempotency-replayed') === 'true'

const count = async (number: string): Promise<number> => {
  const body = { $where: { number }, $count: true }
  return (await ask('POST', '/order/search', { body })).json().total
}

describe('a repeated create with the same key and body within 24 hours', () => {
  test('gets the status, headers and body of the first response', async () => {
    const body = { number: nextNumber(), total: '1' }
    const first = await post('again', body)
    await ask('PATCH', first.headers.get('location') ?? '', { body: { notes: 'changed since' } })
    const second = await post('again', body)
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.equal(second.text, first.text)
    for (const name of ['location', 'etag', 'content-type'])
      assert.equal(second.headers.get(name), first.headers.get(name), name)
    assert.deepEqual([isReplayed(first), isReplayed(second)], [false, true])
    assert.equal(await count(body.number), 1)
  })

  test('ignores the order of fields and the notation of numbers, but not the values', async () => {
    const number = nextNumber()
    assert.equal((await post('form', `{"number":"${number}","quantity":5}`)).status, 201)
    assert.ok(isReplayed(await post('form', ` {\n"number": "${number}", "quantity": 5.0 }`)))
    assert.equal((await post('form', { number, quantity: 6 })).status, 422)
  })

  test('ten simultaneous creates with the same key create one record and one history entry', async () => {
    const body = { number: nextNumber() }
    const replies = await Promise.all(Array.from({ length: 10 }, () => post('ten', body)))
    for (const { status } of replies) assert.equal(status, 201)
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1)
    assert.equal(replies.filter(isReplayed).length, 9)
    assert.equal(await count(body.number), 1)
    const { id } = replies[0]?.json() ?? {}
    assert.equal((await ask('GET', `/order/${id}/history`)).json().data.length, 1)
  })

  test('ten simultaneous creates that are rejected all get the reason, and the key stays free', async () => {
    const { number } = await createAs(service, 'order', { number: nextNumber() })
    const replies = await Promise.all(Array.from({ length: 10 }, () => post('free', { number })))
    for (const reply of replies) assert.deepEqual(invalidPaths(reply, 409), ['number'])
    assert.equal((await post('free', { number: nextNumber() })).status, 201)
  })

  test('after 24 hours the key can be used for another create', async () => {
    await post('old', { number: nextNumber() })
    await service.database.pool.query(
      `UPDATE docket.idempotency_key SET created_at = now() - interval '24 hours 1 second' WHERE key = 'old'`,
    )
    const reply = await post('old', { number: nextNumber() })
    assert.deepEqual([reply.status, isReplayed(reply)], [201, false])
  })

  test('a repeated create needs the permission that the first one needed', async () => {
    const body = { amount: '1' }
    const as = await addOwnUser(service, 'nobody')
    assert.equal((await post('rights', body, { as, path: '/salary' })).status, 201)
    await makeBuyer(as)
    assert.equal((await post('rights', body, { as, path: '/salary' })).status, 404)
  })
})

/** Gives a user the role that hides margins. */
const makeBuyer = async (email: string) => {
  const { rows } = await service.database.pool.query(
    `SELECT id FROM records.security_role WHERE key = 'buyer'`,
  )
  const found = await ask('POST', '/user/search', { body: { $where: { email } } })
  const path = `/user/${found.json().data[0].id}`
  await ask('PATCH', path, { body: { security_role_id: rows[0]?.id } })
}

describe('what a role has lost since', () => {
  test('is neither in the repeated answer of a create, nor left unsaid by a 304', async () => {
    const body = { number: nextNumber(), margin: '4242.42' }
    const as = await addOwnUser(service, 'administrator')
    const first = await post('lost', body, { as })
    assert.equal(first.json().margin, '4242.42')
    const path = first.headers.get('location') ?? ''
    const read = await ask('GET', path, { as })
    const headers = { 'If-None-Match': read.headers.get('etag') ?? '' }
    assert.equal((await ask('GET', path, { as, headers })).status, 304)
    assert.match(read.headers.get('vary') ?? '', /Authorization, Cookie/)
    await makeBuyer(as)
    const again = await post('lost', body, { as })
    const { margin, ...others } = first.json()
    assert.deepEqual([again.status, isReplayed(again), again.json()], [201, true, others])
    const changed = await ask('GET', path, { as, headers })
    assert.deepEqual([changed.status, 'margin' in changed.json()], [200, false])
    // The tag of what is seen is one of the version for a change.
    const tag = changed.headers.get('etag') ?? ''
    const kept = await ask('GET', path, { as, headers: { 'If-None-Match': tag } })
    assert.equal(kept.status, 304)
    const change = { as, body: { notes: 'seen' }, headers: { 'If-Match': tag } }
    assert.equal((await ask('PATCH', path, change)).status, 200)
    assert.equal((await ask('PATCH', path, change)).status, 412)
  })
})

describe('the same key with another request is a 422', () => {
  test('another entity is another request', async () => {
    await post('other', { number: nextNumber() })
    const reply = await post('other', { code: 'HR', name: 'Croatia' }, { path: '/country' })
    assert.deepEqual([reply.status, reply.json().code], [422, 'idempotency.key-reused'])
  })

  test('the same key of another user is a separate key', async () => {
    const replies = await Promise.all(
      [users.buyer, users.otherBuyer, users.clerk].map((as) =>
        post('shared', { number: nextNumber() }, { as }),
      ),
    )
    for (const reply of replies) assert.deepEqual([reply.status, isReplayed(reply)], [201, false])
  })

  test('a key that is empty, too long or has other characters is a 400 that names the header', async () => {
    for (const key of ['', ' ', 'a b', 'ü', 'x'.repeat(256)])
      assert.deepEqual(invalidPaths(await post(key, { number: nextNumber() }), 400), [
        'Idempotency-Key',
      ])
    assert.equal((await post('y'.repeat(255), { number: nextNumber() })).status, 201)
  })
})
