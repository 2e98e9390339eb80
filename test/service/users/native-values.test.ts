/** Derived values of a user: the full name of a new user, and the time of blocking. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createAs, sharedProject } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let role: number
before(async () => {
  service = await sharedProject()
  const reply = await service.ask('GET', '/security_role?sort=-id&limit=1')
  role = reply.json().data[0].id
})

let userCount = 0
const createUser = (values: object) => {
  userCount += 1
  const email = `user-${userCount}@example.com`
  return createAs(service, 'user', {
    ...{ identity_provider_user_id: email, username: email, email, security_role_id: role },
    ...{ first_name: 'Ana', last_name: 'Kovačić', ...values },
  })
}
const change = async (id: number, body: object) => {
  const reply = await service.ask('PATCH', `/user/${id}`, { body })
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}

test('full_name defaults to first and last name', async () => {
  assert.equal((await createUser({})).full_name, 'Ana Kovačić')
  assert.equal((await createUser({ full_name: 'Dr. Ana Kovačić' })).full_name, 'Dr. Ana Kovačić')
})

test('a user who is created without a subject has the e-mail in its place', async () => {
  const created = await createUser({ identity_provider_user_id: undefined })
  assert.equal(created.identity_provider_user_id, created.email)
})

test('blocking a user sets blocked_at, unblocking clears it, and other changes keep it', async () => {
  const { id, blocked_at } = await createUser({})
  assert.equal(blocked_at, null)
  const blocked = await change(id, { is_blocked: true })
  assert.equal(blocked.blocked_at, blocked._updated_at.slice(0, 10) + blocked.blocked_at.slice(10))
  const again = await change(id, { is_blocked: true, phone: '1' })
  assert.equal(again.blocked_at, blocked.blocked_at)
  assert.equal((await change(id, { is_blocked: false })).blocked_at, null)
})

test('a user who is created blocked gets blocked_at, and a given blocked_at is kept', async () => {
  assert.notEqual((await createUser({ is_blocked: true })).blocked_at, null)
  const { id } = await createUser({})
  const since = '2026-01-01T00:00:00.000Z'
  assert.equal((await change(id, { is_blocked: true, blocked_at: since })).blocked_at, since)
})
