/** What is done in a session that acts as another user names both: that user, and who really acted. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createLoginCode } from '../../../src/auth/sessions/sign-in.ts'
import { insertUser } from '../../../src/users/user-store.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { type Browser, idOf, signedIn } from '../../support/sessions/a-browser.ts'

const amount = { key: 'amount', type: 'decimal', precision: 14, scale: 2 }
const approver = { read: true, actions: ['approve'] }

/** Requests with lines that are submitted and approved, and the roles that may do so, one without the names of users. */
const project = {
  'entities/request.json': {
    key: 'request',
    fields: [
      { key: 'title', type: 'string' },
      { ...amount, rollup: { sum: 'lines.amount' } },
      { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'request' },
    ],
    workflow: {
      initialStep: 'draft',
      steps: [
        { key: 'draft', actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }] },
        { key: 'review', actions: [{ key: 'approve', kind: 'approveWorkflow', to: 'done' }] },
        { key: 'done', final: true },
      ],
    },
  },
  'entities/line.json': {
    key: 'line',
    fields: [{ key: 'request', type: 'manyToOne', entity: 'request', required: true }, amount],
  },
  'roles/buyer.json': {
    key: 'buyer',
    permissions: {
      request: {
        ...{ create: true, read: true, update: true, delete: true, tasks: true },
        actions: ['submit'],
      },
      line: { create: true, read: true },
    },
  },
  'roles/approver.json': {
    key: 'approver',
    permissions: { request: approver, user: { read: true } },
  },
  'roles/blind.json': {
    key: 'blind',
    permissions: { request: approver, user: { read: true, hiddenFields: ['full_name'] } },
  },
}

const session = '/console/-/session'
const administrator = { id: 1, full_name: 'Administrator' }

type Named = { id: number; full_name: string | null } | null
type Entry = { operation: string; comment: string | null; user: Named; acting_user: Named }

const people = ['buyer', 'approver', 'blind', 'administrator'] as const
const emailOf = (name: string) => `${name}@example.com`

let service: TestService
let ids: Readonly<Record<string, number>>
before(async () => {
  service = await startTestService(await writeProject(project))
  const added = people.map(async (name) => {
    await insertUser(service.database.pool, {
      ...{ identity_provider_user_id: name, email: emailOf(name), role_key: name },
      ...{ first_name: name, last_name: 'Example', full_name: `${name} Example` },
    })
    return [name, await idOf(service, emailOf(name))] as const
  })
  ids = Object.fromEntries(await Promise.all(added))
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
  test('has that user as its author and says who really acted, whatever it is', async () => {
    const browser = await actingAs('buyer')
    const id = await create(browser)
    const path = `/request/${id}`
    await send(browser, 'PATCH', path, { title: 'Tables' })
    await send(browser, 'POST', '/line', { request_id: id, amount: '10.00' })
    await send(browser, 'POST', `${path}/task`, { description: 'Ask for a discount' })
    const many = { ids: [id], do: { change: { title: 'Lamps' } } }
    await send(browser, 'POST', '/request/bulk', many)
    await send(browser, 'DELETE', path)
    await send(browser, 'POST', `${path}/restore`)
    const body = { action: 'submit', comment: 'For the fair' }
    await send(browser, 'POST', `${path}/proceedToStep`, body)
    const entries = await historyOf(id)
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
    const record = (await service.ask('GET', path)).json()
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
      const as = emailOf(name)
      const { data } = (await service.ask('GET', '/api/approvals?limit=1000', { as })).json()
      const waiting = data.find((approval: { id: number }) => approval.id === id)
      const [entry] = await historyOf(id, as)
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
    await service.ask('PATCH', `/request/${id}`, { body: { title: 'Lamps' } })
    for (const [user, ...operations] of [
      [ids.buyer, 'create'],
      [1, 'change', 'create'],
      [ids.approver],
    ]) {
      const { data } = (await service.ask('GET', `/request/${id}/history?user=${user}`)).json()
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
    assert.deepEqual(shortly(await historyOf(await create(browser))), [['create', ids.buyer, 1]])
    const me = await send(browser, 'GET', '/api/me')
    assert.deepEqual([me.id, me.acting_user], [ids.buyer, administrator])
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
    const browser = await signedIn(service, emailOf('administrator'))
    await become(browser, ids.buyer)
    assert.equal((await browser.send('GET', '/api/me')).status, 200)
    await service.ask('PATCH', `/user/${ids.administrator}`, { body: { is_blocked: true } })
    assert.equal((await browser.send('GET', '/api/me')).status, 401)
  })
})
