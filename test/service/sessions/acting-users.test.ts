/** What is done in a session that acts as another user names both: that user, and who really acted. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createLoginCode } from '../../../src/auth/sessions/sign-in.ts'
import { insertUser } from '../../../src/users/user-store.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { type Browser, idOf, signedIn } from '../../support/sessions/a-browser.ts'
import { requestProject } from './a-request-project.ts'

const session = '/console/-/session'

type Entry = {
  operation: string
  comment: string | null
  user: { id: number; full_name: string | null } | null
  acting_user: { id: number; full_name: string | null } | null
}

const people = ['buyer', 'approver', 'blind'] as const
const emailOf = (name: string) => `${name}@example.com`

let service: TestService
let ids: Readonly<Record<string, number>>
before(async () => {
  service = await startTestService(await writeProject(requestProject))
  for (const name of [...people, 'administrator'])
    await insertUser(service.database.pool, {
      ...{ identity_provider_user_id: name, email: emailOf(name), role_key: name },
      ...{ first_name: name, last_name: 'Example', full_name: `${name} Example` },
    })
  const found = people.map(async (name) => [name, await idOf(service, emailOf(name))] as const)
  ids = Object.fromEntries(await Promise.all(found))
})
after(() => service.stop())

const become = async (browser: Browser, user_id: number | undefined) => {
  const reply = await browser.send('POST', session, { body: { user_id } })
  assert.equal(reply.status, 200, reply.text)
}

/** A browser of the administrator, who became these users one after the other. */
const actingAs = async (...names: readonly string[]): Promise<Browser> => {
  const browser = await signedIn(service)
  for (const name of names) await become(browser, ids[name])
  return browser
}

const send = async (browser: Browser, method: string, path: string, body?: object) => {
  const reply = await browser.send(method, path, body && { body })
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`)
  return reply.text === '' ? undefined : reply.json()
}

const create = async (browser: Browser): Promise<number> =>
  (await send(browser, 'POST', '/request', { title: 'Chairs' })).id

const historyOf = async (id: number, as = 'admin@example.com'): Promise<Entry[]> =>
  (await service.ask('GET', `/request/${id}/history?limit=100`, { as })).json().data

/** Operation, author, and who really acted, the oldest entry first. */
const shortly = (entries: readonly Entry[]) =>
  entries
    .map(({ operation, user, acting_user: acting }) => [operation, user?.id, acting?.id ?? null])
    .toReversed()

describe('a change in a session that acts as another user', () => {
  test('has that user as its author and says who really acted', async () => {
    const browser = await actingAs('buyer')
    const id = await create(browser)
    await send(browser, 'PATCH', `/request/${id}`, { title: 'Tables' })
    const body = { action: 'submit', comment: 'For the fair' }
    await send(browser, 'POST', `/request/${id}/proceedToStep`, body)
    const [last] = await historyOf(id)
    assert.deepEqual(
      [last?.comment, last?.user, last?.acting_user],
      [
        'For the fair',
        { id: ids.buyer, full_name: 'buyer Example' },
        { id: 1, full_name: 'Administrator' },
      ],
    )
    assert.deepEqual(shortly(await historyOf(id)), [
      ['create', ids.buyer, 1],
      ['change', ids.buyer, 1],
      ['proceedToStep', ids.buyer, 1],
    ])
    const record = (await service.ask('GET', `/request/${id}`)).json()
    assert.deepEqual([record._created_by, record._updated_by], [ids.buyer, ids.buyer])
  })

  test('says so for tasks, sums of other records, removals and writes of many records too', async () => {
    const browser = await actingAs('buyer')
    const id = await create(browser)
    await send(browser, 'POST', '/line', { request_id: id, amount: '10.00' })
    await send(browser, 'POST', `/request/${id}/task`, { description: 'Ask for a discount' })
    const many = { ids: [id], do: { change: { title: 'Lamps' } } }
    await send(browser, 'POST', '/request/bulk', many)
    await send(browser, 'DELETE', `/request/${id}`)
    await send(browser, 'POST', `/request/${id}/restore`)
    const entries = shortly(await historyOf(id))
    assert.deepEqual(
      entries.map(([operation]) => operation),
      [
        ...['create', 'change', 'createTask', 'change', 'remove', 'removeTask'],
        ...['restore', 'restoreTask'],
      ],
    )
    for (const [operation, user, acting] of entries)
      assert.deepEqual([user, acting], [ids.buyer, 1], `${operation}`)
  })

  test('is one of the own changes of that user, where it says so', async () => {
    const browser = await actingAs('buyer')
    const id = await create(browser)
    const { data } = await send(browser, 'GET', '/api/changes?limit=1')
    assert.deepEqual([data[0].entity_id, data[0].acting_user.id], [id, 1])
  })

  test('says so where it waits for a decision', async () => {
    const browser = await actingAs('buyer')
    const id = await create(browser)
    await send(browser, 'POST', `/request/${id}/proceedToStep`, { action: 'submit' })
    const approvals = async (name: string) => {
      const as = emailOf(name)
      const { data } = (await service.ask('GET', '/api/approvals?limit=1000', { as })).json()
      const one = data.find((approval: { id: number }) => approval.id === id)
      return [one.by, one.acting_user]
    }
    assert.deepEqual(await approvals('approver'), [
      { id: ids.buyer, full_name: 'buyer Example' },
      { id: 1, full_name: 'Administrator' },
    ])
    assert.deepEqual(await approvals('blind'), [
      { id: ids.buyer, full_name: null },
      { id: 1, full_name: null },
    ])
  })

  test('is found in the history by the author, and by who really acted', async () => {
    const browser = await actingAs('buyer')
    const id = await create(browser)
    await service.ask('PATCH', `/request/${id}`, { body: { title: 'Lamps' } })
    const operationsOf = async (user: number | undefined) => {
      const { data } = (await service.ask('GET', `/request/${id}/history?user=${user}`)).json()
      return data.map(({ operation }: Entry) => operation)
    }
    assert.deepEqual(await operationsOf(ids.buyer), ['create'])
    assert.deepEqual(await operationsOf(1), ['change', 'create'])
    assert.deepEqual(await operationsOf(ids.approver), [])
  })

  test('names nobody by name to a role that names are hidden from', async () => {
    const id = await create(await actingAs('buyer'))
    const [entry] = await historyOf(id, emailOf('blind'))
    assert.deepEqual(
      [entry?.user, entry?.acting_user],
      [
        { id: ids.buyer, full_name: null },
        { id: 1, full_name: null },
      ],
    )
  })
})

describe('who really acted', () => {
  test('stays the first one when one user is become after the other', async () => {
    const browser = await actingAs('approver', 'blind', 'buyer')
    assert.deepEqual(shortly(await historyOf(await create(browser))), [['create', ids.buyer, 1]])
    const me = await send(browser, 'GET', '/api/me')
    assert.deepEqual([me.id, me.acting_user], [ids.buyer, { id: 1, full_name: 'Administrator' }])
  })

  test('is nobody else for whoever acts as themselves', async () => {
    const browser = await actingAs('buyer')
    await become(browser, 1)
    assert.deepEqual(shortly(await historyOf(await create(browser))), [['create', 1, null]])
    assert.equal((await send(browser, 'GET', '/api/me')).acting_user, null)
    const as = emailOf('buyer')
    const made = await service.ask('POST', '/request', { body: { title: 'Chairs' }, as })
    assert.deepEqual(shortly(await historyOf(made.json().id)), [['create', ids.buyer, null]])
  })

  test('is forgotten when somebody signs in anew in the same browser', async () => {
    const browser = await actingAs('buyer')
    const code = await createLoginCode(service.database.pool, ids.approver ?? 0)
    await send(browser, 'POST', session, { code })
    assert.equal((await send(browser, 'GET', '/api/me')).acting_user, null)
  })

  test('cannot act any more once they are blocked', async () => {
    const email = emailOf('administrator')
    const browser = await signedIn(service, email)
    await become(browser, ids.buyer)
    assert.equal((await browser.send('GET', '/api/me')).status, 200)
    const body = { is_blocked: true }
    await service.ask('PATCH', `/user/${await idOf(service, email)}`, { body })
    assert.equal((await browser.send('GET', '/api/me')).status, 401)
  })
})
