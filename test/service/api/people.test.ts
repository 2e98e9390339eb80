/** GET /api/people: the active users whom a caller may assign or link to, by id and name. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { insertUser } from '../../../src/users/user-store.ts'
import { opened } from '../../support/afterwards.ts'
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { startTestService } from '../../support/service.ts'

const files = {
  ...entityFile('matter', { ownership: true }, [{ key: 'title', type: 'string' }]),
  ...roleFile('assigner', { matter: { read: 'own', tasks: 'own' } }),
  ...roleFile('nameless', {
    matter: { read: true, tasks: true },
    user: { read: true, hiddenFields: ['full_name', 'email'] },
  }),
  ...roleFile('mailless', {
    matter: { read: true, tasks: true },
    user: { read: true, hiddenFields: ['email'] },
  }),
  ...roleFile('reader', { matter: { read: true }, user: { read: true } }),
  ...roleFile('owner', { user: { create: true, read: 'own' }, security_role: { read: true } }),
  ...roleFile('blind', { matter: { tasks: true } }),
  ...roleFile('unassigning', {
    matter: { read: true, tasks: true },
    task: { hiddenFields: ['assigne'] },
  }),
  ...roleFile('nobody', { matter: { read: true } }),
}

const service = opened(() => startTestService(files))
before(async () => {
  const add = async (full_name: string, email: string, role_key: string) => {
    const [first_name = '', last_name = ''] = full_name.split(' ')
    const identity_provider_user_id = email.split('@')[0] ?? ''
    const user = { identity_provider_user_id, first_name, last_name, full_name, email, role_key }
    assert.ok(await insertUser(service.database.pool, user))
  }
  for (const path of Object.keys(files).filter((name) => name.startsWith('roles/'))) {
    const key = path.slice('roles/'.length, -'.json'.length)
    await add(`Role ${key}`, `${key}@example.com`, key)
  }
  await add('Ana Horvat', 'x1@example.com', 'nobody')
  for (const name of ['Hana Anić', 'Zoran Susanaj', '100% Real_Name', 'Ana Gone', 'Ana Blocked'])
    await add(name, `${name.split(' ').join('-')}@example.com`, 'nobody')
  await service.database.pool.query(
    `UPDATE records."user" SET is_active = full_name <> 'Ana Gone', is_blocked = full_name = 'Ana Blocked'
     WHERE full_name LIKE 'Ana %'`,
  )
})

const search = (query: string, who = 'assigner') =>
  service.ask('GET', `/api/people${query}`, { as: `${who}@example.com` })
const people = async (query: string, who?: string) =>
  (await search(query, who)).json(200).data as { id: number; full_name: string | null }[]
const namesOf = async (query: string, who?: string) =>
  (await people(query, who)).map(({ full_name }) => full_name)

test('the search finds active users by parts of their names; those that begin with the words come first', async () => {
  for (const [query, names] of [
    ['?q=ana', ['Ana Horvat', 'Hana Anić', 'Zoran Susanaj']],
    ['?q=SUS', ['Zoran Susanaj']],
    // Every word, in any order.
    ['?q=hor+ana', ['Ana Horvat']],
    ['?q=%20%20ana%20%20hor%20', ['Ana Horvat']],
    ['?q=ana+nobody+else', []],
    // The wildcards of SQL are characters.
    ['?q=%25', ['100% Real_Name']],
    ['?q=100%25', ['100% Real_Name']],
    ['?q=_', ['100% Real_Name']],
    ['?q=%5C', []],
  ] as const)
    assert.deepEqual(await namesOf(query), names, query)
})

test('without words it lists everybody by name, as many as the limit', async () => {
  const all = await namesOf('?limit=50')
  assert.ok(all.includes('Ana Horvat'))
  for (const gone of ['Ana Gone', 'Ana Blocked']) assert.ok(!all.includes(gone))
  for (const query of ['?limit=2', '?q=&limit=2'])
    assert.deepEqual(await namesOf(query), all.slice(0, 2))
})

describe('permissions', () => {
  test('a role that may assign tasks sees id and name of everybody, and cannot search e-mails', async () => {
    const [found] = await people('?q=horvat')
    assert.deepEqual(Object.keys(found ?? {}), ['id', 'full_name'])
    assert.deepEqual(await namesOf('?q=x1@example.com'), [])
    assert.deepEqual(await namesOf('?q=x1@example.com', 'mailless'), [])
  })

  test('a role that reads users may search their e-mails', async () => {
    for (const who of ['reader', 'admin'])
      assert.deepEqual(await namesOf('?q=x1@EXAMPLE', who), ['Ana Horvat'])
  })

  test('a role that hides names gets ids, and finds nobody by a name or an e-mail', async () => {
    const all = await people('', 'nameless')
    assert.ok(all.length > 3 && all.every(({ full_name }) => full_name === null))
    const ids = all.map(({ id }) => id)
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    )
    for (const q of ['ana', 'x1@example.com'])
      assert.deepEqual(await people(`?q=${q}`, 'nameless'), [])
  })

  test('a role that reads only its own users finds only these', async () => {
    const { data } = (await service.ask('GET', '/security_role?limit=100')).json()
    const { id } = data.find(({ key }: { key: string }) => key === 'nobody')
    const created = await service.ask('POST', '/user', {
      as: 'owner@example.com',
      body: {
        identity_provider_user_id: 'new',
        first_name: 'Ana',
        last_name: 'New',
        username: 'new@example.com',
        email: 'new@example.com',
        security_role_id: id,
      },
    })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(await namesOf('', 'owner'), ['Ana New'])
    assert.deepEqual(await namesOf('?q=new@', 'owner'), ['Ana New'])
  })

  test('a role that may neither assign nor read users is refused', async () => {
    for (const who of ['nobody', 'blind', 'unassigning']) {
      const reply = await search('', who)
      assert.deepEqual([reply.status, reply.json().code], [403, 'caller.forbidden'], who)
    }
  })
})

test('more than ten words are refused', async () => {
  const words = (count: number) => Array.from({ length: count }, () => 'a').join('+')
  assert.equal((await search(`?q=${words(10)}`)).status, 200)
  assert.equal((await search(`?q=${words(11)}`)).status, 400)
})
