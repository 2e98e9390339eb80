/** A history entry has the id of the user who acted, and the name unless the caller's role hides it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { getEntity } from '../../../src/definitions/catalog.ts'
import { type Access, fullAccess } from '../../../src/query/access.ts'
import { listHistory } from '../../../src/records/history.ts'
import { createOrder, sharedProject, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let orderId: number
let buyerId: number
before(async () => {
  service = await sharedProject()
  orderId = (await createOrder(service, {}, users.buyer)).id
  buyerId = (await service.ask('GET', '/api/me', { as: users.buyer })).json().id
})

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
const withoutName = () => ({ id: buyerId, full_name: null })
const withName = () => ({ id: buyerId, full_name: 'buyer Example' })

test('a caller who may read users gets the name', async () => {
  assert.deepEqual(await actorFor(fullAccess), withName())
})

test('a caller who may read no or only some users gets the name of the user who acted', async () => {
  const access: Access = {
    readScope: ({ key }) => (key === 'user' ? 'none' : 'all'),
    maySee: ({ key }) => key !== 'user',
    hides: () => false,
  }
  assert.deepEqual(await actorFor(access), withName())
  assert.deepEqual(await actorFor({ ...fullAccess, readScope: () => ({ ownedBy: 1 }) }), withName())
})

test('a name that the role hides is null', async () => {
  const access: Access = {
    ...fullAccess,
    maySee: (_, { name }) => name !== 'full_name',
    hides: (_, { name }) => name === 'full_name',
  }
  assert.deepEqual(await actorFor(access), withoutName())
})
