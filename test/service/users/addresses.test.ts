/** Upper and lower case of the e-mails and names of users are the same, wherever users are written, found and linked to. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sharedProject } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let role: number
before(async () => {
  service = await sharedProject()
  role = (await service.ask('GET', '/security_role?sort=-id&limit=1')).json().data[0].id
})

let count = 0
/** A new user with capital letters, and the address in small ones. */
const add = async (values: object = {}) => {
  count += 1
  const small = `ärger-${count}@example.com`
  const email = small.toUpperCase()
  const body = {
    ...{ username: email, email, identity_provider_user_id: `Sub-${count}-A` },
    ...{ first_name: 'Ä', last_name: 'B', security_role_id: role, ...values },
  }
  const reply = await service.ask('POST', '/user', { body })
  return { reply, small, body }
}

test('addresses are kept in lower case, and subjects as they are', async () => {
  const { reply, small, body } = await add()
  assert.equal(reply.status, 201, reply.text)
  const { email, username, identity_provider_user_id: subject } = reply.json()
  assert.deepEqual([email, username, subject], [small, small, body.identity_provider_user_id])
})

for (const name of ['email', 'username'] as const)
  test(`a second user with the ${name} in other letters is a conflict, by create and by change`, async () => {
    const { body } = await add()
    const taken = body[name].replace('X', 'x')
    const refused = (await add({ [name]: taken })).reply
    assert.equal(refused.status, 409, refused.text)
    assert.deepEqual(
      refused.json().errors.map(({ path }: { path: string }) => path),
      [name],
    )
    const other = (await add()).reply.json()
    const change = await service.ask('PATCH', `/user/${other.id}`, { body: { [name]: taken } })
    assert.equal(change.status, 409, change.text)
  })

test('the own address in other letters changes nothing', async () => {
  const { reply, body } = await add()
  const { id, _version } = reply.json()
  const change = await service.ask('PATCH', `/user/${id}`, { body: { email: body.email } })
  assert.equal(change.status, 200)
  assert.equal(change.headers.get('etag'), reply.headers.get('etag'), `${_version}`)
})

for (const [operator, operand] of [
  ['$eq', (email: string) => email],
  ['$in', (email: string) => [email]],
  ['$like', (email: string) => `${email.slice(0, 12)}%`],
  ['$startsWith', (email: string) => email.slice(0, 12)],
  ['$contains', (email: string) => email.slice(1)],
] as const)
  test(`${operator} finds an address in other letters`, async () => {
    const { reply, body } = await add()
    const find = async (path: string) => {
      const $where = { [path]: { [operator]: operand(body.email) } }
      const found = await service.ask('POST', '/user/search', { body: { $where, $select: ['id'] } })
      assert.equal(found.status, 200, found.text)
      return found.json().data.map(({ id }: { id: number }) => id)
    }
    const { id } = reply.json()
    for (const path of ['email', 'username']) assert.ok((await find(path)).includes(id), path)
  })
