/** Accounts: administrators see who signs in and how, when they were last seen, and end their sessions. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { hashPassword } from '../../../src/auth/passwords/password-rules.ts'
import { storePassword } from '../../../src/auth/passwords/password-store.ts'
import { insertPerson } from '../../support/a-person.ts'
import { sharedProject } from '../../support/a-project.ts'
import { openBrowser } from '../../support/sessions/a-browser.ts'
import { until } from '../../support/wait.ts'

const service = await sharedProject()
const { pool } = service.database

type Account = {
  readonly id: number
  readonly email: string
  readonly ways: readonly string[]
  readonly has_second_factor: boolean
  readonly roles: readonly { readonly key: string }[]
  readonly groups: readonly { readonly name: string }[]
  readonly invitation: { readonly id: number } | null
  readonly last_seen_at: string | null
  readonly is_active: boolean
}

const list = async (query: string) => {
  const { data, counts } = (await service.ask('GET', `/api/accounts?${query}`)).json(200)
  return { data: data as readonly Account[], counts }
}

/** The account that words find. */
const accountOf = async (words: string): Promise<Account> => {
  const { data } = await list(`q=${encodeURIComponent(words)}`)
  assert.equal(data.length, 1, words)
  return data[0] as Account
}

let people = 0
const addPerson = (values: Parameters<typeof insertPerson>[3] = {}) => {
  people += 1
  const email = `account-${people}@example.com`
  return insertPerson(pool, `account-${people}`, 'buyer', {
    identity_provider_user_id: email,
    ...values,
  })
}

const signedInWithKey = async (userId: number) => {
  const browser = openBrowser(service)
  const { key } = await createApiKey(pool, { userId, name: 'account' })
  ;(await browser.send('POST', '/console/-/session', { body: { api_key: key } })).json(200)
  return browser
}
const statusOfMe = async (browser: Awaited<ReturnType<typeof signedInWithKey>>) =>
  (await browser.send('GET', '/api/me')).status

describe('the list of accounts', () => {
  test('says of each user how they sign in, with which roles and groups, and when they were seen', async () => {
    const id = await addPerson({ full_name: 'Željka Accountová' })
    const { email, ...fresh } = await accountOf('zeljka account')
    assert.deepEqual(
      [fresh.id, fresh.ways, fresh.has_second_factor, fresh.groups, fresh.invitation],
      [id, [], false, [], null],
    )
    assert.deepEqual(fresh.roles, [{ key: 'buyer', name: 'buyer' }])
    const create = async (entity: string, body: object) =>
      (await service.ask('POST', `/${entity}`, { body })).json(201).id
    const group = await create('user_group', { code: 'accounts', name: 'Accounts' })
    await create('user_group_member', { user_id: id, user_group_id: group })
    const roles = (await service.ask('POST', '/security_role/search', { body: {} })).json(200).data
    const clerk = roles.find(({ key }: { key: string }) => key === 'clerk')
    await create('user_role', { user_id: id, security_role_id: clerk.id })
    const invitation = await service.ask('POST', '/api/invitations', { body: { user_id: id } })
    await storePassword(pool, id, await hashPassword('correct horse battery'))
    await pool.query(
      `UPDATE records."user" SET identity_provider_user_id = 'sub-account' WHERE id = $1`,
      [id],
    )
    const browser = await signedInWithKey(id)
    assert.equal(await statusOfMe(browser), 200)
    const seen = await until('the user is seen', async () => {
      const one = await accountOf(email)
      return one.last_seen_at === null ? undefined : one
    })
    assert.deepEqual(seen.ways, ['password', 'issuer', 'key'])
    assert.deepEqual(
      seen.roles.map(({ key }) => key),
      ['buyer', 'clerk'],
    )
    assert.deepEqual(seen.groups, [{ id: group, name: 'Accounts' }])
    assert.equal(seen.invitation?.id, invitation.json(201).id)
  })

  test('is narrowed down by words, status and role, and counted', async () => {
    const mark = 'narrowed'
    const [, blocked, inactive, invited] = [
      await addPerson({ full_name: `${mark} A` }),
      await addPerson({ full_name: `${mark} B` }),
      await addPerson({ full_name: `${mark} C`, role_key: 'clerk' }),
      await addPerson({ full_name: `${mark} D` }),
    ]
    await pool.query('UPDATE records."user" SET is_blocked = true WHERE id = $1', [blocked])
    await pool.query('UPDATE records."user" SET is_active = false WHERE id = $1', [inactive])
    await service.ask('POST', '/api/invitations', { body: { user_id: invited } })
    const namesOf = async (query: string) =>
      (await list(`q=${mark}&${query}`)).data.map(({ id }) => id)
    const { counts, data } = await list(`q=${mark}`)
    assert.deepEqual(counts, { all: 4, active: 2, invited: 1, blocked: 1, inactive: 1 })
    assert.equal(data.length, 4)
    assert.deepEqual(await namesOf('status=blocked'), [blocked])
    assert.deepEqual(await namesOf('status=inactive'), [inactive])
    assert.deepEqual(await namesOf('status=invited'), [invited])
    assert.deepEqual(await namesOf('role=clerk'), [inactive])
    assert.deepEqual(await namesOf('limit=1&page=2'), [blocked])
    assert.deepEqual((await list(`q=${mark}&status=blocked`)).counts, counts)
    assert.deepEqual(await namesOf('role=nobody-has-it'), [])
  })
})

describe('the sessions of a user', () => {
  test('are listed and ended by administrators, one or all', async () => {
    const id = await addPerson()
    const path = `/api/accounts/${id}/sessions`
    const [one, two, three] = [
      await signedInWithKey(id),
      await signedInWithKey(id),
      await signedInWithKey(id),
    ]
    const { data } = (await service.ask('GET', path)).json(200)
    assert.equal(data.length, 3)
    // The newest is first.
    assert.equal((await service.ask('DELETE', `${path}/${data[0].id}`)).status, 204)
    assert.deepEqual(
      [await statusOfMe(one), await statusOfMe(two), await statusOfMe(three)],
      [200, 200, 401],
    )
    assert.equal((await service.ask('DELETE', `${path}/${data[0].id}`)).status, 404)
    assert.equal((await service.ask('DELETE', path)).status, 204)
    assert.deepEqual([await statusOfMe(one), await statusOfMe(two)], [401, 401])
    assert.deepEqual((await service.ask('GET', path)).json(200).data, [])
  })

  test('of others, or of nobody, are not found', async () => {
    const [id, other] = [await addPerson(), await addPerson()]
    const browser = await signedInWithKey(other)
    const { data } = (await service.ask('GET', `/api/accounts/${other}/sessions`)).json(200)
    const foreign = `/api/accounts/${id}/sessions/${data[0].id}`
    assert.equal((await service.ask('DELETE', foreign)).status, 404)
    assert.equal(await statusOfMe(browser), 200)
    for (const method of ['GET', 'DELETE'])
      assert.equal((await service.ask(method, '/api/accounts/2000000000/sessions')).status, 404)
  })
})
