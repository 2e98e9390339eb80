/** Users are found with their role, and subject and e-mail are unique. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  countAdministrators,
  findUserByEmail,
  findUserById,
  findUserBySubject,
  insertUser,
  requireUser,
  wasUserRemoved,
} from '../../../src/users/user-store.ts'
import { opened } from '../../support/afterwards.ts'
import { createTestProject } from './a-project.ts'

const project = opened(() => createTestProject())

const anna = {
  identity_provider_user_id: 'subject-of-anna',
  first_name: 'Anna',
  last_name: 'Horvat',
  full_name: 'Anna Horvat',
  email: 'anna@example.com',
  role_key: 'buyer',
}

test('a user is found by subject, e-mail and id', async () => {
  const id = await insertUser(project.pool, anna)
  assert.ok(id)
  const expected = {
    id,
    identity_provider_user_id: 'subject-of-anna',
    full_name: 'Anna Horvat',
    email: 'anna@example.com',
    is_active: true,
    is_blocked: false,
    role_key: 'buyer',
  }
  assert.deepEqual(await findUserBySubject(project.pool, 'subject-of-anna'), expected)
  assert.deepEqual(await findUserByEmail(project.pool, 'ANNA@example.com'), expected)
  assert.deepEqual(await findUserById(project.pool, id), expected)
})

for (const [email, why] of [
  [
    'ANA@example.com',
    /no user with the e-mail ANA@example\.com; did you mean "anna@example\.com"\?/,
  ],
  ['Gone@Example.com', /The user with the e-mail Gone@Example\.com was removed/],
  ['nobody@elsewhere.test', /nobody@elsewhere\.test\. "docket seed" loads/],
] as const)
  test(`a command that names ${email} says why there is no such user`, async () => {
    await project.addUser('gone').catch(() => undefined)
    await project.pool.query(
      `UPDATE records."user" SET _is_deleted = true WHERE email = 'gone@example.com'`,
    )
    await assert.rejects(requireUser(project.pool, email), why)
  })

for (const [property, change] of [
  ['subject', { email: 'other@example.com' }],
  ['e-mail', { identity_provider_user_id: 'another' }],
  ['e-mail in other letters', { identity_provider_user_id: 'another', email: 'ANNA@Example.com' }],
] as const)
  test(`a second user with the same ${property} is not created`, async () => {
    assert.equal(await insertUser(project.pool, { ...anna, ...change }), undefined)
  })

test('a user with a role that does not exist is not created', async () => {
  const values = { identity_provider_user_id: 'x', email: 'x@example.com', role_key: 'nothing' }
  assert.equal(await insertUser(project.pool, { ...anna, ...values }), undefined)
})

test('a removed user is not found, and wasUserRemoved returns true', async () => {
  const id = await project.addUser('bert')
  assert.equal(await wasUserRemoved(project.pool, 'bert'), false)
  await project.pool.query('UPDATE records."user" SET _is_deleted = true WHERE id = $1', [id])
  assert.equal(await findUserById(project.pool, id), undefined)
  assert.equal(await wasUserRemoved(project.pool, 'bert'), true)
})

test('the role of a user whose role was removed is null', async () => {
  const id = await project.addUser('dora', { role_key: 'clerk' })
  await project.pool.query(
    `UPDATE records.security_role SET _is_deleted = true WHERE key = 'clerk'`,
  )
  assert.equal((await findUserById(project.pool, id))?.role_key, null)
})

test('only active administrators who are not blocked are counted', async () => {
  for (const word of ['eva', 'finn', 'gita'])
    await project.addUser(word, { role_key: 'administrator' })
  await project.pool.query(`UPDATE records."user" SET is_active = false WHERE first_name = 'finn'`)
  await project.pool.query(`UPDATE records."user" SET is_blocked = true WHERE first_name = 'gita'`)
  assert.equal(await countAdministrators(project.pool), 1)
})
