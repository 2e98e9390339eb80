/** Values of users that the service derives or keeps in one form: e-mails and names in small letters, full names, the time of blocking. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAs, invalidPaths, sharedProject } from '../../support/a-project.ts'

const service = await sharedProject()
const role: number = (await service.ask('GET', '/security_role?sort=-id&limit=1')).json().data[0].id

let count = 0
/** What a new user is created with: with capital letters, and the address in small ones. */
const newUser = (values: object = {}) => {
  count += 1
  const small = `ärger-${count}@example.com`
  const email = small.toUpperCase()
  const body = {
    username: email,
    email,
    identity_provider_user_id: `Sub-${count}-A`,
    first_name: 'Ana',
    last_name: 'Kovačić',
    security_role_id: role,
    ...values,
  }
  return { small, body }
}
const createUser = (values: object = {}) => createAs(service, 'user', newUser(values).body)
const change = (id: number, body: object) => service.ask('PATCH', `/user/${id}`, { body })
const changed = async (id: number, body: object) => (await change(id, body)).json(200)

test('addresses are kept in lower case, and subjects as they are', async () => {
  const { small, body } = newUser()
  const { email, username, identity_provider_user_id } = await createAs(service, 'user', body)
  const subject = body.identity_provider_user_id
  assert.deepEqual([email, username, identity_provider_user_id], [small, small, subject])
})

for (const name of ['email', 'username'] as const)
  test(`a second user with the ${name} in other letters is a conflict, by create and by change`, async () => {
    const { body } = newUser()
    await createAs(service, 'user', body)
    const taken = { [name]: body[name].replace('X', 'x') }
    const created = await service.ask('POST', '/user', { body: newUser(taken).body })
    assert.deepEqual(invalidPaths(created, 409), [name])
    const other = await createUser()
    assert.deepEqual(invalidPaths(await change(other.id, taken), 409), [name])
  })

test('the own address in other letters changes nothing', async () => {
  const { body } = newUser()
  const { id } = await createAs(service, 'user', body)
  const tag = async () => (await service.ask('GET', `/user/${id}`)).headers.get('etag')
  const before = await tag()
  await changed(id, { email: body.email })
  assert.equal(await tag(), before)
})

test('an address is found in other letters, by every operator of texts', async () => {
  const { body } = newUser()
  const { id } = await createAs(service, 'user', body)
  for (const [operator, operand] of [
    ['$eq', body.email],
    ['$in', [body.email]],
    ['$like', `${body.email.slice(0, 12)}%`],
    ['$startsWith', body.email.slice(0, 12)],
    ['$contains', body.email.slice(1)],
  ] as const)
    for (const path of ['email', 'username']) {
      const criteria = { $where: { [path]: { [operator]: operand } }, $select: ['id'] }
      const { data } = (await service.ask('POST', '/user/search', { body: criteria })).json()
      assert.ok(
        data.some((user: { id: number }) => user.id === id),
        `${path} ${operator}`,
      )
    }
})

test('full_name defaults to first and last name, and the subject to the e-mail', async () => {
  assert.equal((await createUser()).full_name, 'Ana Kovačić')
  assert.equal((await createUser({ full_name: 'Dr. Ana Kovačić' })).full_name, 'Dr. Ana Kovačić')
  const created = await createUser({ identity_provider_user_id: undefined })
  assert.equal(created.identity_provider_user_id, created.email)
})

test('blocking a user sets blocked_at unless it is given, unblocking clears it, and other changes keep it', async () => {
  assert.notEqual((await createUser({ is_blocked: true })).blocked_at, null)
  const { id, blocked_at } = await createUser()
  assert.equal(blocked_at, null)
  const blocked = await changed(id, { is_blocked: true })
  assert.equal(blocked.blocked_at, blocked._updated_at.slice(0, 10) + blocked.blocked_at.slice(10))
  const again = await changed(id, { is_blocked: true, phone: '1' })
  assert.equal(again.blocked_at, blocked.blocked_at)
  assert.equal((await changed(id, { is_blocked: false })).blocked_at, null)
  const since = '2026-01-01T00:00:00.000Z'
  assert.equal((await changed(id, { is_blocked: true, blocked_at: since })).blocked_at, since)
})
