/** The history tells who did it by id; the name is for those who may read the user. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getEntity } from '../../src/definitions/catalog.ts'
import { type Access, fullAccess } from '../../src/query/access.ts'
import { listHistory } from '../../src/records/history.ts'
import { createOrder, startProject, users } from '../support/a-project.ts'
import type { TestService } from '../support/service.ts'

let service: TestService
let orderId: number
let buyerId: number
before(async () => {
  service = await startProject()
  orderId = (await createOrder(service, {}, users.buyer)).id
  buyerId = (await service.ask('GET', '/api/me', { as: users.buyer })).json().id
})
after(() => service.stop())

const actorFor = async (access: Access) => {
  const { catalog } = service.project
  const [entry] = await listHistory(service.database.pool, {
    entity: getEntity(catalog, 'order'),
    id: orderId,
    page: { limit: 1, offset: 0 },
    isVisible: () => true,
    taskScope: 'all',
    reader: { people: getEntity(catalog, 'user'), access },
  })
  return entry?.user
}
const nameless = () => ({ id: buyerId, full_name: null })
const named = () => ({ id: buyerId, full_name: 'buyer Example' })

test('who may read users is told the name', async () => {
  assert.deepEqual(await actorFor(fullAccess), named())
})

test('who may not read users, or only some, is told the name of who acted', async () => {
  const access: Access = {
    readScope: ({ key }) => (key === 'user' ? 'none' : 'all'),
    maySee: ({ key }) => key !== 'user',
    hides: () => false,
  }
  assert.deepEqual(await actorFor(access), named())
  assert.deepEqual(await actorFor({ ...fullAccess, readScope: () => ({ ownedBy: 1 }) }), named())
})

test('a name that the role hides is not told', async () => {
  const access: Access = {
    ...fullAccess,
    maySee: (_, { name }) => name !== 'full_name',
    hides: (_, { name }) => name === 'full_name',
  }
  assert.deepEqual(await actorFor(access), nameless())
})
