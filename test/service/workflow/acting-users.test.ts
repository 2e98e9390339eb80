/** What is done in a session that acts as another user names both: that user, and who really acted. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLoginCode } from '../../../src/auth/sessions/sign-in.ts'
import { addOwnUser } from '../../support/a-project.ts'
import { type Browser, idOf, signedIn } from '../../support/sessions/a-browser.ts'
import {
  ask,
  createRequest,
  historyOf,
  ids,
  type Person,
  service,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

shareWorkflows()

const session = '/console/-/session'
const administrator = { id: 1, full_name: 'Administrator' }

type Named = { id: number; full_name: string | null } | null
type Entry = { operation: string; comment: string | null; user: Named; acting_user: Named }

const send = async (browser: Browser, method: string, path: string, body?: object) => {
  const reply = await browser.send(method, path, body && { body })
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`)
  return reply.text === '' ? undefined : reply.json()
}

const become = (browser: Browser, user_id: number) => send(browser, 'POST', session, { user_id })

/** A browser of the administrator, who became these users one after the other. */
const actingAs = async (...names: readonly Person[]): Promise<Browser> => {
  const browser = await signedIn(service)
  for (const name of names) await become(browser, ids[name])
  return browser
}

const create = async (browser: Browser): Promise<number> =>
  (await send(browser, 'POST', '/request', { title: 'Chairs' })).id

const entriesOf = (id: number, as?: string): Promise<Entry[]> => historyOf(`/request/${id}`, { as })

/** Operation, author, and who really acted, the oldest entry first. */
const shortly = (entries: readonly Entry[]) =>
  entries
    .map(({ operation, user, acting_user: acting }) => [operation, user?.id, acting?.id ?? null])
    .toReversed()

describe('a change in a session that acts as another user', () => {
  test('has that user as its author and says who really acted, whatever it is', async () => {
    const browser = await actingAs('buyer')
    const id = await create(browser)
    const path = `/request/${id}`
    await send(browser, 'PATCH', path, { title: 'Tables' })
    await send(browser, 'POST', '/line', { request_id: id, cost: '10.00' })
    await send(browser, 'POST', `${path}/task`, { description: 'Ask for a discount' })
    const many = { ids: [id], do: { change: { title: 'Lamps' } } }
    await send(browser, 'POST', '/request/bulk', many)
    await send(browser, 'DELETE', path)
    await send(browser, 'POST', `${path}/restore`)
    const body = { action: 'submit', comment: 'For the fair' }
    await send(browser, 'POST', `${path}/proceedToStep`, body)
    const entries = await entriesOf(id)
    assert.deepEqual(
      shortly(entries),
      [
        ...['create', 'change', 'change', 'createTask', 'change', 'remove', 'removeTask'],
        ...['restore', 'restoreTask', 'proceedToStep'],
      ].map((operation) => [operation, ids.buyer, 1]),
    )
    const { comment, user, acting_user } = entries[0] ?? {}
    assert.deepEqual([comment, acting_user], ['For the fair', administrator])
    assert.deepEqual(user, { id: ids.buyer, full_name: 'buyer Example' })
    const record = (await ask('GET', path)).json()
    assert.deepEqual([record._created_by, record._updated_by], [ids.buyer, ids.buyer])
  })

  test('is one of the own changes of that user, where it says so', async () => {
    const browser = await actingAs('buyer')
    const id = await create(browser)
    const { data } = await send(browser, 'GET', '/api/changes?limit=1')
    assert.deepEqual([data[0].entity_id, data[0].acting_user.id], [id, 1])
  })

  test('says so where it waits for a decision and in the history, without names that a role hides', async () => {
    const browser = await actingAs('buyer')
    const id = await create(browser)
    await send(browser, 'POST', `/request/${id}/proceedToStep`, { action: 'submit' })
    for (const [name, by, acting] of [
      ['approver', 'buyer Example', 'Administrator'],
      ['blind', null, null],
    ] as const) {
      const as = users[name]
      const { data } = (await ask('GET', '/api/approvals?limit=1000', { as })).json()
      const waiting = data.find(
        (one: { entity: string; id: number }) => one.entity === 'request' && one.id === id,
      )
      const [entry] = await entriesOf(id, as)
      for (const found of [
        [waiting.by, waiting.acting_user],
        [entry?.user, entry?.acting_user],
      ])
        assert.deepEqual(found, [
          { id: ids.buyer, full_name: by },
          { id: 1, full_name: acting },
        ])
    }
  })

  test('is found in the history by the author, and by who really acted', async () => {
    const id = await create(await actingAs('buyer'))
    await ask('PATCH', `/request/${id}`, { body: { title: 'Lamps' } })
    for (const [user, ...operations] of [
      [ids.buyer, 'create'],
      [1, 'change', 'create'],
      [ids.approver],
    ]) {
      const { data } = (await ask('GET', `/request/${id}/history?user=${user}`)).json()
      assert.deepEqual(
        data.map(({ operation }: Entry) => operation),
        operations,
      )
    }
  })
})

describe('who really acted', () => {
  test('stays the first one when one user is become after the other', async () => {
    const browser = await actingAs('approver', 'blind', 'buyer')
    assert.deepEqual(shortly(await entriesOf(await create(browser))), [['create', ids.buyer, 1]])
    const me = await send(browser, 'GET', '/api/me')
    assert.deepEqual([me.id, me.acting_user], [ids.buyer, administrator])
  })

  test('is nobody else for a user who acts as themselves', async () => {
    const browser = await actingAs('buyer')
    await become(browser, 1)
    assert.deepEqual(shortly(await entriesOf(await create(browser))), [['create', 1, null]])
    assert.equal((await send(browser, 'GET', '/api/me')).acting_user, null)
    const made = await createRequest({}, users.buyer)
    assert.deepEqual(shortly(await entriesOf(made)), [['create', ids.buyer, null]])
  })

  test('is forgotten when a user signs in again in the same browser', async () => {
    const browser = await actingAs('buyer')
    const code = await createLoginCode(service.database.pool, ids.approver)
    await send(browser, 'POST', session, { code })
    assert.equal((await send(browser, 'GET', '/api/me')).acting_user, null)
  })

  test('cannot act any more once they are blocked', async () => {
    const email = await addOwnUser(service, 'administrator')
    const browser = await signedIn(service, email)
    await become(browser, ids.buyer)
    assert.equal((await browser.send('GET', '/api/me')).status, 200)
    await ask('PATCH', `/user/${await idOf(service, email)}`, { body: { is_blocked: true } })
    assert.equal((await browser.send('GET', '/api/me')).status, 401)
  })

  test('nor in a session that began at the moment in which they were blocked', async () => {
    const [email, blocked] = [
      await addOwnUser(service, 'administrator'),
      await addOwnUser(service, 'administrator'),
    ]
    const browser = await signedIn(service, email)
    await become(browser, ids.buyer)
    const id = await idOf(service, blocked)
    await ask('PATCH', `/user/${id}`, { body: { is_blocked: true } })
    await service.database.pool.query(
      'UPDATE docket.session SET acting_user_id = $1 WHERE acting_user_id = $2',
      [id, await idOf(service, email)],
    )
    assert.equal((await browser.send('GET', '/api/me')).status, 401)
  })
})
